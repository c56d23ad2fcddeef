// `parley acp`: the ACP door on stdio. With --login it signs in on the terminal instead;
// editors start it for that.
import { stdio } from './stdio.ts';

export async function run(args: readonly string[]): Promise<number> {
  return args.includes('--login') ? login() : stdio('acp', args, { agent: { type: 'string' } });
}

async function login(): Promise<number> {
  const [{ chooseProvider }, { run: signIn }] = await Promise.all([
    import('../accounts/chooseProvider.ts'),
    import('../accounts/login.ts'),
  ]);
  return signIn([await chooseProvider()]);
}
