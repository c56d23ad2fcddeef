// Shown when the host is there and does not know this browser: the way in is a link that the program prints.
import { useState } from 'preact/hooks';
import { pastedCredential } from '../../client/credentials.ts';

export function SignIn({ onToken }: { readonly onToken: (token: string) => void }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    const pasted = pastedCredential(text);
    if (!pasted) setProblem('There is no token and no code in this.');
    else if ('token' in pasted) onToken(pasted.token);
    else location.assign(pasted.visit);
  };
  return (
    <section class="page">
      <h1 tabIndex={-1}>Sign in</h1>
      <p>
        The host does not know this browser. Run <code>parley</code> on its machine and open the link it
        prints, or paste the link here.
      </p>
      <form class="sign-in" onSubmit={submit}>
        <label>
          <span>Sign-in link or token</span>
          <input
            type="password"
            autocomplete="off"
            required
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        {problem !== '' && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </section>
  );
}
