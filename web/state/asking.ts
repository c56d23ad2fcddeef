// Answers of our own host for the pages that show them: asked for when the page opens, again when it is told to, and with the reason where there is none.
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { OwnMethod, OwnRequests } from '../client/own.ts';
import { useClient } from './app.ts';
import { problemText, toast } from './toasts.ts';

export interface Asked<Result> {
  readonly value: Result | undefined;
  readonly problem: string | undefined;
  readonly again: () => Promise<void>;
}

export function useAsked<Method extends OwnMethod>(
  method: Method,
  params: OwnRequests[Method]['params'],
): Asked<OwnRequests[Method]['result']> {
  const client = useClient();
  const online = client.link.value.kind === 'online';
  const [value, setValue] = useState<OwnRequests[Method]['result']>();
  const [problem, setProblem] = useState<string>();
  const again = useCallback(async () => {
    try {
      // A function in its place would be called by the state.
      const found = await client.ask(method, params);
      setValue(() => found);
      setProblem(undefined);
    } catch (error) {
      setProblem(problemText(error));
    }
  }, [client, method, JSON.stringify(params)]);
  useEffect(() => {
    if (online) void again();
  }, [online, again]);
  return { value, problem, again };
}

/** As above, and again every so many milliseconds while somebody can see it. */
export function useAskedOften<Method extends OwnMethod>(
  method: Method,
  params: OwnRequests[Method]['params'],
  everyMs: number,
): Asked<OwnRequests[Method]['result']> {
  const asked = useAsked(method, params);
  const { again } = asked;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void again();
    }, everyMs);
    return () => clearInterval(timer);
  }, [again, everyMs]);
  return asked;
}

/** Asks for something to be done; says so where it was not. */
export function useDoing(): {
  readonly busy: boolean;
  readonly attempt: (work: () => Promise<unknown>) => Promise<boolean>;
} {
  const [busy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    try {
      await work();
      return true;
    } catch (error) {
      toast('problem', problemText(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, attempt };
}
