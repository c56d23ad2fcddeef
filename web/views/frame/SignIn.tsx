// Shown when the host does not accept this browser: the user pastes the link that `parley` prints.
import { useState } from 'preact/hooks';
import { Logo } from '../parts/Icon.tsx';
import { pastedCredential } from '../../client/credentials.ts';
import { signInProblem } from '../../state/signInProblem.ts';

export function SignIn({ onToken }: { readonly onToken: (token: string) => void }) {
  const [text, setText] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    const pasted = pastedCredential(text);
    if (!pasted) signInProblem.value = "That isn't a Parley link or token.";
    else if ('token' in pasted) onToken(pasted.token);
    else location.assign(pasted.visit);
  };
  return (
    <div class="scroll">
      <section class="sign-in-page">
        <Logo />
        <h1 tabIndex={-1}>Sign in</h1>
        <p>
          This browser isn't signed in. Run <code>parley</code> and open the link, or paste it here.
        </p>
        <form class="sign-in" onSubmit={submit}>
          <label class="field">
            <span class="label">Sign-in link or token</span>
            <input
              class="input"
              type="password"
              autocomplete="off"
              required
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          {signInProblem.value !== '' && (
            <p class="field-error" role="alert">
              {signInProblem.value}
            </p>
          )}
          <button type="submit" class="btn primary">
            Sign in
          </button>
        </form>
      </section>
    </div>
  );
}
