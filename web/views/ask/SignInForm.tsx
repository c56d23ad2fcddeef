// Sends a token for a protected resource to the host. The console does not store it.
import { errorText } from '../../../src/base/errorText.ts';
import { useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type { ProtectedResourceMetadata } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { toast } from '../../state/toasts.ts';

interface SignInFormProps {
  readonly resource: ProtectedResourceMetadata;
  readonly scopes?: readonly string[] | undefined;
}

export function SignInForm({ resource, scopes }: SignInFormProps) {
  const client = useClient();
  const [token, setToken] = useState('');
  const [sending, setSending] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    try {
      await client.request('authenticate', {
        resource: resource.resource,
        token,
        ...present({ scopes }),
      });
      setToken('');
      client.authDone(resource.resource);
      toast('info', 'Signed in.');
    } catch (error) {
      toast('problem', errorText(error));
    }
    setSending(false);
  };
  return (
    <form class="sign-in" onSubmit={(event) => void send(event)}>
      {resource.authorization_servers
        ?.filter((server) => /^https?:/.test(server))
        .map((server) => (
          <p key={server} class="note">
            Get a token at{' '}
            <a href={server} target="_blank" rel="noopener noreferrer">
              {server}
            </a>
          </p>
        ))}
      <label class="field">
        <span class="label">Token for {resource.resource_name ?? resource.resource}</span>
        <input
          class="input"
          type="password"
          autocomplete="off"
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="btn primary" disabled={sending || token === ''}>
        Sign in
      </button>
    </form>
  );
}
