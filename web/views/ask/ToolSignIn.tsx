// A tool call that needs a sign-in to a protected resource.
import type { AuthRequiredToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { SignInForm } from './SignInForm.tsx';

export function ToolSignIn({ call: { auth, displayName } }: { readonly call: AuthRequiredToolCall }) {
  return (
    <div class="ask" role="group" aria-label={`Sign-in for ${displayName}`}>
      <p class="ask-title">
        {auth.description ??
          `${displayName} needs access to ${auth.resource.resource_name ?? auth.resource.resource}.`}
      </p>
      <SignInForm resource={auth.resource} scopes={auth.requiredScopes} />
    </div>
  );
}
