// The commands of the palette: pages, what can be done with the open session, and the files of its folder.
import { useEffect, useState } from 'preact/hooks';
import { findSummary } from '../../../client/connection/catalogue.ts';
import { useClient } from '../../state/app.ts';
import { useHasRole } from '../../state/role.ts';
import { goTo, route, settingsSections } from '../../state/route.ts';
import { archiveOpenSession, renaming } from '../../state/sessionChanges.ts';
import { shortcutsOpen } from '../../state/shortcuts.ts';
import { showNextWaiting } from '../../state/showWaiting.ts';
import { pins, sidebarHidden, togglePin } from '../../state/sidebar.ts';
import { isArchived } from '../../text/format.ts';
import type { Completion } from '../compose/completion.ts';
import { draftOf } from '../compose/drafts.ts';
import type { IconName } from '../parts/Icon.tsx';
import { sectionLabels } from '../settings/SettingsPage.tsx';

export interface Command {
  readonly label: string;
  readonly icon: IconName;
  readonly keys?: string;
  readonly run: () => void;
}

export function useCommands(): readonly Command[] {
  const mayControl = useHasRole('control');
  const fresh: Command = {
    ...{ label: 'New session', icon: 'plus', keys: 'Alt N' },
    run: () => goTo({ page: 'new' }),
  };
  return [
    ...(mayControl ? [fresh] : []),
    ...useSessionCommands(),
    { label: 'Inbox', icon: 'inbox', keys: 'Alt I', run: () => goTo({ page: 'inbox' }) },
    { label: 'Jump to what waits', icon: 'clock', keys: 'Alt W', run: showNextWaiting },
    {
      ...{ label: sidebarHidden.value ? 'Show sidebar' : 'Hide sidebar', icon: 'sidebar', keys: 'Ctrl B' },
      run: () => (sidebarHidden.value = !sidebarHidden.value),
    },
    { label: 'Keyboard shortcuts', icon: 'question', keys: '?', run: () => (shortcutsOpen.value = true) },
    ...settingsSections.map((section): Command => ({
      ...{ label: `Settings: ${sectionLabels[section]}`, icon: 'sliders' },
      run: () => goTo({ page: 'settings', section }),
    })),
  ];
}

/** What can be done with the session that is open. */
function useSessionCommands(): readonly Command[] {
  const client = useClient();
  const mayControl = useHasRole('control');
  const place = route.value;
  if (place.page !== 'session') return [];
  const { session } = place;
  const status = findSummary(client.sessions.value, session)?.status ?? 0;
  const views: readonly Command[] =
    place.view === 'changes'
      ? [
          {
            label: 'Conversation',
            icon: 'comment',
            keys: 'Alt C',
            run: () => goTo({ page: 'session', session }),
          },
        ]
      : [
          {
            label: 'Changes',
            icon: 'changes',
            keys: 'Alt C',
            run: () => goTo({ ...place, view: 'changes' }),
          },
        ];
  const changes: readonly Command[] = [
    { label: 'Rename session', icon: 'edit', keys: 'F2', run: () => (renaming.value = session) },
    {
      ...{
        label: isArchived(status) ? 'Unarchive session' : 'Archive session',
        icon: 'archive',
        keys: 'Alt E',
      },
      run: () => archiveOpenSession(client),
    },
  ];
  return [
    ...views,
    {
      ...{ label: pins.value.has(session) ? 'Unpin session' : 'Pin session', icon: 'pin' },
      run: () => togglePin(session),
    },
    ...(mayControl ? changes : []),
  ];
}

const pauseMs = 150;
const maxFiles = 8;

/** Files of the open session's folder; choosing one mentions it in the message. */
export function useFiles(text: string): readonly Command[] {
  const client = useClient();
  const place = route.value;
  const [files, setFiles] = useState<readonly Completion[]>([]);
  const summary = place.page === 'session' ? findSummary(client.sessions.value, place.session) : undefined;
  const chat = (place.page === 'session' ? place.chat : undefined) ?? summary?.defaultChat;
  useEffect(() => {
    setFiles([]);
    if (chat === undefined || text === '') return;
    let current = true;
    const asked = `@${text}`;
    const timer = setTimeout(() => {
      const params = { channel: chat, kind: 'userMessage', text: asked, offset: asked.length } as const;
      void client.request('completions', params).then(
        ({ items }) => current && setFiles(items.slice(0, maxFiles)),
        () => undefined,
      );
    }, pauseMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [chat, text]);
  if (chat === undefined) return [];
  return files.map((item) => ({
    label: item.insertText.trim().replace(/^@/, ''),
    icon: 'file',
    run: () => mention(chat, item),
  }));
}

function mention(chat: string, { insertText, attachment }: Completion): void {
  const draft = draftOf(chat);
  const { text, attachments } = draft.peek();
  const gap = text === '' || /\s$/.test(text) ? '' : ' ';
  draft.value = {
    ...draft.peek(),
    text: `${text}${gap}${insertText.trim()} `,
    attachments: attachment.type === 'simple' ? attachments : [...attachments, attachment],
  };
  document.querySelector<HTMLElement>('.message-field')?.focus();
}
