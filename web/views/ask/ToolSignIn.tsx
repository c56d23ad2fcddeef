// A tool call that needs a sign-in to a protected resource.
import type { AuthRequiredToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { AskCard } from './AskCard.tsx';
import { SignInForm } from './SignInForm.tsx';

export function ToolSignIn({ call }: { readonly call: AuthRequiredToolCall }) {
  const { auth, displayName, toolCallId } = call;
  const resource = auth.resource.resource_name ?? auth.resource.resource;
  return (
    <AskCard id={toolCallId} title={auth.description ?? `${displayName} needs access to ${resource}.`}>
      <SignInForm resource={auth.resource} scopes={auth.requiredScopes} />
    </AskCard>
  );
}
