// Lines that move, make or bring links before they read, and lines of every day that do not, as data. The
// folder `src/deep` has a link `up` to the workspace, which leads out of it from any other depth.
import type { CommandCases } from './policyCommands.ts';

const allow = [
  ...['mv', 'cp', 'ln', 'git', 'cat', 'ls', 'echo', 'npm', 'mkdir', 'head', 'tail', 'tar'].map(
    (name) => `$ ${name} *`,
  ),
  '$ tar xf a.tar',
  '$ unzip a.zip',
];

export const movedLinkCases: readonly CommandCases[] = [
  {
    name: 'links that the line itself moves, makes or brings',
    allow,
    cases: [
      ['mv src/deep/up r && cat r/outside/secret', 'ask'],
      ['mv src/deep/up r; cat R/outside/secret', 'ask'],
      ['mv src/deep/up r; cat r/../x', 'ask'],
      ['mv src/deep/up r; cat <r/x', 'ask'],
      ['mv src/deep/up r; echo x >r/x', 'ask'],
      ['mv src/deep/up r && cd r && cat x', 'ask'],
      ['mv src/deep/up r & cat r/x', 'ask'],
      ['cat r/x | mv src/deep/up r', 'ask'],
      ['(mv src/deep/up r); cat r/x', 'ask'],
      ['for i in 1 2; do cat r/x; mv src/deep/up r; done', 'ask'],
      ['while cat r/x; do mv src/deep/up r; done', 'ask'],
      ['mv src/deep r && cat r/up/outside/secret', 'ask'],
      ['mv -t lib src/deep && cat lib/deep/up/x', 'ask'],
      ['mv src/deep/up lib && cat lib/up/x', 'ask'],
      ['cp -a src/deep/up r && cat r/x', 'ask'],
      ['cp -r src/deep r && cat r/up/x', 'ask'],
      ['ln -s a r && cat r', 'ask'],
      ['ln src/deep/up r && cat r/x', 'ask'],
      ['ln src/deep/near && cat near', 'ask'],
      ['git mv src/deep/up r && cat r/x', 'ask'],
      ['git checkout topic && cat a', 'ask'],
      ['git stash pop; cat <a', 'ask'],
      ['git pull && git commit -F a', 'ask'],
      ['git pull && git blame src/x.ts', 'ask'],
      ['git reset --hard topic && cp a b', 'ask'],
      ['tar xf a.tar && cat r/x', 'ask'],
      ['unzip a.zip && cat r/x', 'ask'],
      // Git would obey the settings of a repository that was not there when the line was judged.
      ['mv src/secret r && cd r && git status', 'ask'],
    ],
  },
  {
    name: 'lines of every day, which bring no link to where they read',
    allow,
    cases: [
      ['npm run build && cat dist/index.html', 'allow'],
      ['git checkout topic && npm test', 'allow'],
      ['git checkout -b topic && cat a', 'allow'],
      ['git checkout main && git pull && npm ci && npm test 2>&1', 'allow'],
      ['git checkout main && git pull && ls -la && echo done', 'allow'],
      ['git fetch origin && git rebase origin/main && git log --oneline -15', 'allow'],
      ['git add -A && git commit -m "Fix a" && git push -u origin topic', 'allow'],
      ['git stash && npm test && git stash pop', 'allow'],
      ['git status && cat a | head -50', 'allow'],
      ['git reset --soft HEAD~1 && cat a', 'allow'],
      ['git mv a b && cat b', 'allow'],
      ['cat a && git checkout main', 'allow'],
      ['mkdir -p d && cp a d/ && cat d/a', 'allow'],
      ['mv a b && cat b', 'allow'],
      ['mv src/x.ts src/y.ts && git add -A && git status', 'allow'],
      ['mv lib other && ls other', 'allow'],
      ['mv src/deep/up src/deep/down && cat a', 'allow'],
      ['cat r/x; mv src/deep/up r', 'allow'],
      ['cp -r lib other && cat other/z', 'allow'],
      ['cd src && mv x.ts y.ts && cat y.ts', 'allow'],
      ['tar czf out.tgz src && ls -l out.tgz', 'allow'],
      ['tar xf a.tar && npm test', 'allow'],
    ],
  },
];
