// Hands the host a token for a protected resource. The token is not kept here.
import { useState } from 'preact/hooks';
import type { ProtectedResourceMetadata } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { problemText, toast } from '../../state/toasts.ts';

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
        ...(scopes === undefined ? {} : { scopes }),
      });
      setToken('');
      client.authDone(resource.resource);
      toast('info', 'Signed in.');
    } catch (error) {
      toast('problem', problemText(error));
    }
    setSending(false);
  };
  return (
    <form class="sign-in" onSubmit={(event) => void send(event)}>
      {resource.authorization_servers
        ?.filter((server) => /^https?:/.test(server))
        .map((server) => (
          <p key={server} class="hint">
            Get a token at{' '}
            <a href={server} target="_blank" rel="noopener noreferrer">
              {server}
            </a>
          </p>
        ))}
      <label>
        <span>Token for {resource.resource_name ?? resource.resource}</span>
        <input
          type="password"
          autocomplete="off"
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" disabled={sending || token === ''}>
        Sign in
      </button>
    </form>
  );
}
