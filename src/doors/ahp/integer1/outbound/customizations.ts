// What extends an agent, in the thin form of version 1: one line for each thing, with how it is.
import { present } from '../../../../base/present.ts';
import type { ChildCustomization, Customization } from '../../../../protocols/ahp/v1_0/customization.ts';
import type { SessionCustomization } from '../../../../protocols/ahp/integer1/customization.ts';

export function flatCustomizations(
  customizations: readonly Customization[],
): readonly SessionCustomization[] {
  return customizations.flatMap((one) =>
    one.type === 'directory' ? (one.children ?? []).map((child) => line(child, one)) : [line(one)],
  );
}

function line(
  one: Customization | ChildCustomization,
  folder?: Extract<Customization, { readonly type: 'directory' }>,
): SessionCustomization {
  const description = 'description' in one ? one.description : undefined;
  const clientId = 'clientId' in one ? one.clientId : undefined;
  return present({
    customization: present({ uri: one.uri, displayName: one.name, description }),
    enabled: isEnabled(one),
    clientId,
    ...statusOf(one, folder),
  });
}

function isEnabled(one: Customization | ChildCustomization): boolean {
  if ('enablement' in one) return one.enablement?.[0]?.enabled ?? true;
  return 'enabled' in one ? (one.enabled ?? true) : true;
}

function statusOf(
  one: Customization | ChildCustomization,
  folder?: Extract<Customization, { readonly type: 'directory' }>,
): Pick<SessionCustomization, 'status' | 'statusMessage'> {
  if (one.type === 'mcpServer') {
    const { state } = one;
    if (state.kind === 'error') return { status: 'error', statusMessage: state.error.message };
    if (state.kind === 'authRequired')
      return present({ status: 'degraded', statusMessage: state.description });
    return state.kind === 'starting' ? { status: 'loading' } : { status: 'loaded' };
  }
  const load = ('load' in one ? one.load : undefined) ?? folder?.load;
  if (!load) return {};
  return present({ status: load.kind, statusMessage: 'message' in load ? load.message : undefined });
}
