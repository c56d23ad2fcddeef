// Writes a bug report: versions, findings, settings and the end of the host's log. Leaves out secrets and
// everything that was said in a session.
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { isRecord } from '../../base/isRecord.ts';
import { jsonText } from '../../base/jsonText.ts';
import { hideSecrets } from '../../io/diagnostics/trace.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import type { SourcedValue } from '../../io/settings/merge.ts';
import { openSettings } from '../../io/settings/open.ts';
import type { CheckOutcome } from './checks.ts';
import { reportSettings } from './reportSettings.ts';
import { readFileIfAny, readUserFile } from '../../io/files/folderFile.ts';

declare const PARLEY_VERSION: string;

/** How many lines of the log are part of a report. */
const logLines = 200;

/** Returns the path of the file, which is new. */
export function writeBundle(findings: readonly CheckOutcome[]): string {
  const settings = openSettings({ env: process.env });
  const sourced = settings.sourced([]);
  const values = reportSettings(sourced);
  const problems = settings.problems();
  settings.close();
  const report = {
    parley: PARLEY_VERSION,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    // Their values could be secret.
    variables: Object.keys(process.env).filter((name) =>
      /^PARLEY_|_API_(?:KEY|URL)$|^(?:NO_)?PROXY$/i.test(name),
    ),
    findings,
    settings: { values, problems },
    log: lastLines(dataPaths(process.env).log),
  };
  const file = resolve(`parley-report-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`);
  const quoted = withoutQuotes(jsonText(report, 2), hiddenValues(sourced, values));
  writeFileSync(file, `${withoutSecrets(quoted)}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}

/** A shorter value, such as a number, occurs in texts by chance. */
const shortestSecret = 5;

interface HiddenValue {
  readonly before: string;
  readonly after: string;
}

function hiddenValues(
  written: readonly SourcedValue[],
  shown: readonly SourcedValue[],
): readonly HiddenValue[] {
  return written
    .flatMap(({ value }, at) => {
      const after = shown[at]?.value;
      const isHidden = typeof value === 'string' && typeof after === 'string' && value !== after;
      return isHidden && value.length >= shortestSecret ? [{ before: value, after }] : [];
    })
    .toSorted((a, b) => b.before.length - a.before.length);
}

/** What the settings hide must not be read elsewhere, as in the last words of a server that failed. */
function withoutQuotes(text: string, hidden: readonly HiddenValue[]): string {
  const inText = (value: string) => JSON.stringify(value).slice(1, -1);
  return hidden.reduce(
    (left, { before, after }) => left.replaceAll(inText(before), () => inText(after)),
    text,
  );
}

/** Of each entry only when, how bad, and what: details can quote files and conversations. */
function lastLines(file: string): readonly object[] {
  if (!existsSync(file)) return [];
  return readUserFile(file)
    .trimEnd()
    .split('\n')
    .slice(-logLines)
    .flatMap((line) => {
      const entry = parse(line);
      return entry ? [{ at: entry['at'], level: entry['level'], message: entry['message'] }] : [];
    });
}

function withoutSecrets(text: string): string {
  const [home, { token }] = [homedir(), dataPaths(process.env)];
  const owner = readFileIfAny(token)?.trim() ?? '';
  const hidden = hideSecrets(text)
    .replaceAll(/\b(?:sk|pk|ghp|gho|xox[a-z]|AIza|AKIA)[-_]?[\w-]{12,}/g, '[hidden]')
    .replaceAll(/\b(Bearer|Basic) [\w.~+/=-]+/g, '$1 [hidden]')
    .replaceAll(/(:\/\/)[^/@\s"]+@/g, '$1[hidden]@');
  const unowned = owner === '' ? hidden : hidden.replaceAll(owner, '[hidden]');
  return home.length > 1 ? unowned.replaceAll(home, '~') : unowned;
}

function parse(line: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
