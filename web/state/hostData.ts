// Hooks for the extension requests: load data for a page, poll it, and run actions with error reporting.
import { errorText } from '../../src/base/errorText.ts';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { ExtensionMethod, ExtensionRequests } from '../../client/connection/extensions.ts';
import { useClient } from './app.ts';
import { toast } from './toasts.ts';

export interface HostData<Result> {
  readonly value: Result | undefined;
  readonly problem: string | undefined;
  readonly reload: () => Promise<void>;
}

export function useHostData<Method extends ExtensionMethod>(
  method: Method,
  params: ExtensionRequests[Method]['params'],
): HostData<ExtensionRequests[Method]['result']> {
  const client = useClient();
  const online = client.connection.value.kind === 'online';
  const [value, setValue] = useState<ExtensionRequests[Method]['result']>();
  const [problem, setProblem] = useState<string>();
  const reload = useCallback(async () => {
    try {
      const result = await client.requestExtension(method, params);
      // The setter would call a bare function value.
      setValue(() => result);
      setProblem(undefined);
    } catch (error) {
      setProblem(errorText(error));
    }
  }, [client, method, JSON.stringify(params)]);
  useEffect(() => {
    if (online) void reload();
  }, [online, reload]);
  return { value, problem, reload };
}

/** Like `useHostData`, and loads again at an interval while the page is visible. */
export function usePolledHostData<Method extends ExtensionMethod>(
  method: Method,
  params: ExtensionRequests[Method]['params'],
  everyMs: number,
): HostData<ExtensionRequests[Method]['result']> {
  const data = useHostData(method, params);
  const { reload } = data;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs]);
  return data;
}

/** Runs an action on the host; a failure becomes a toast. `run` resolves to true on success. */
export function useHostAction(): {
  readonly busy: boolean;
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
} {
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    try {
      await work();
      return true;
    } catch (error) {
      toast('problem', errorText(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, run };
}
