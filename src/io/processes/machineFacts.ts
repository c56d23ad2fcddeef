// Facts about this machine for system prompts.
import { existsSync } from 'node:fs';
import { homedir, release, type, userInfo } from 'node:os';

export function machineFacts(): {
  readonly os: string;
  readonly shell: string;
  readonly user: string;
  readonly home: string;
} {
  return { os: `${type()} ${release()}`, shell: shellName(), user: nameOfUser(), home: homedir() };
}

/** The shell that runs commands, not the user's login shell. */
function shellName(): string {
  if (process.platform === 'win32') return 'cmd';
  return existsSync('/bin/bash') ? 'bash' : 'sh';
}

/** Some containers run as a user without a name. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
