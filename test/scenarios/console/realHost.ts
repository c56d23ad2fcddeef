// The real host for the console's scenarios, and what a person does at its pages in most of them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { newHome } from '../../kit/parley.ts';
import type { Home, Served } from '../../kit/parley.ts';
import { chooseFolder, field, pick } from './rig.ts';

export interface RealHost {
  readonly home: Home;
  host: Served;
  /** Of the console, with a slash at its end. */
  readonly address: string;
  /** The same with what lets a browser in. */
  at(hash?: string): string;
  /** Starts a session from the page, as a person would. */
  begin(page: Page, text: string, model?: string): Promise<void>;
  /** What a file of the workspace holds now; nothing where it is not there. */
  written(name: string): string | undefined;
  /** The same for a file of the host's own. */
  kept(name: string): string;
}

/** Call it once at the top of a test file: a fresh host for each test, or one for all of them. */
export function useRealHost(
  prepare: (home: Home) => void | Promise<void> = () => {},
  { shared = false }: { readonly shared?: boolean } = {},
): RealHost {
  let home: Home;
  let host: Served;
  (shared ? beforeAll : beforeEach)(async () => {
    home = newHome();
    await prepare(home);
    host = await home.serve();
  });
  (shared ? afterAll : afterEach)(() => home.dispose());
  return {
    get home() {
      return home;
    },
    get host() {
      return host;
    },
    set host(next) {
      host = next;
    },
    get address() {
      return `http://127.0.0.1:${host.port}/`;
    },
    at(hash = '') {
      return `${this.address}?tkn=${host.token}${hash}`;
    },
    async begin(page, text, model = 'Demo (built in)') {
      await page.goto(`${this.address}#/new`);
      await pick(page, 'Model', model);
      await chooseFolder(page, home.workspace);
      await field(page).fill(text);
      await page.getByRole('button', { name: 'Start session' }).click();
      await page.locator('.msg-user', { hasText: text }).first().waitFor();
    },
    written: (name) => read(join(home.workspace, name))?.trim(),
    kept: (name) => read(join(String(home.env['PARLEY_HOME']), name)) ?? '',
  };
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Says something in the session that is open, once the last turn is over. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await field(page).fill(text);
  await page.keyboard.press('Enter');
}
