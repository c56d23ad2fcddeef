// What the host measures, in the text format of Prometheus. Numbers only: no name, path or text of a session.
import type { Status } from '../host/session/summary.ts';
import type { LeaseHolder } from '../io/store/durableStore.ts';
import { inTime } from '../io/http/statusPages.ts';
import type { App } from './app.ts';

declare const PARLEY_VERSION: string;

interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly values: readonly {
    readonly labels?: { readonly [name: string]: string };
    readonly value: number;
  }[];
}

/** `clients` is the number of connections. */
export async function metricsText({ host, store }: App, clients: number): Promise<string> {
  const hosts = await inTime(store.shared?.holders()).catch(() => undefined);
  const { user, system } = process.cpuUsage();
  const journal = host.stored;
  const one = (value: number) => [{ value }];
  const all: readonly Metric[] = [
    gauge('parley_info', 'The version of the host.', [{ labels: { version: PARLEY_VERSION }, value: 1 }]),
    gauge(
      'parley_sessions',
      'Sessions by their status.',
      byStatus(host.summaries().map(({ status }) => status)),
    ),
    gauge('parley_open_sessions', 'Sessions in memory.', one(host.openSessions().length)),
    gauge('parley_connections', 'Connections of clients.', one(clients)),
    counter('parley_commits_total', 'Group commits to the store.', one(journal.commits)),
    counter('parley_failed_commits_total', 'Group commits that were lost.', one(journal.failures)),
    counter('parley_entries_total', 'Entries stored by this process.', one(journal.entries)),
    counter('parley_commit_seconds_total', 'Time that commits took.', one(journal.milliseconds / 1_000)),
    gauge('parley_waiting_entries', 'Entries that wait for the store.', one(host.storage.waiting.entries)),
    gauge('parley_waiting_characters', 'Their size.', one(host.storage.waiting.size)),
    ...leases(hosts),
    counter('process_cpu_seconds_total', 'Processor time of the host.', one((user + system) / 1e6)),
    gauge('process_resident_memory_bytes', 'Memory of the host.', one(process.memoryUsage.rss())),
    gauge('process_start_time_seconds', 'When the host started.', one(Date.now() / 1_000 - process.uptime())),
  ];
  return all.map(textOf).join('');
}

function byStatus(statuses: readonly Status[]): Metric['values'] {
  const all: readonly Status[] = ['idle', 'running', 'asking', 'failed'];
  return all.map((status) => ({
    labels: { status },
    value: statuses.filter((each) => each === status).length,
  }));
}

function leases(hosts: readonly LeaseHolder[] | undefined): readonly Metric[] {
  if (!hosts) return [];
  const mine = hosts.find(({ isMe }) => isMe);
  return [
    gauge('parley_hosts', 'Hosts that share the store.', [{ value: hosts.length }]),
    gauge('parley_owned_sessions', 'Sessions that belong to this host.', [{ value: mine?.sessions ?? 0 }]),
    gauge('parley_lease_seconds', 'Time until others may take over.', [{ value: mine?.left ?? 0 }]),
  ];
}

function gauge(name: string, help: string, values: Metric['values']): Metric {
  return { name, type: 'gauge', help, values };
}

function counter(name: string, help: string, values: Metric['values']): Metric {
  return { name, type: 'counter', help, values };
}

function textOf({ name, type, help, values }: Metric): string {
  const lines = values.map(({ labels = {}, value }) => {
    const named = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${name}${named.length > 0 ? `{${named.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
