// The folder of a new session, below its composer: typed as a path, one of the recent ones, or found by
// browsing the host's folders.
import { useEffect, useState } from 'preact/hooks';
import { errorText } from '../../../src/base/errorText.ts';
import type { FolderListing } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { nameOf, pathOf, shortPath } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { MenuButton } from '../parts/Menu.tsx';
import { folderListing, recentFolders } from './folders.ts';

interface FolderPickerProps {
  readonly folder: string;
  readonly onChange: (folder: string) => void;
}

interface FolderPickerAndProblemProps extends FolderPickerProps {
  /** Why a session could not start; a missing folder is reported once. */
  readonly problem: string;
}

export function FolderPicker({ folder, onChange, problem }: FolderPickerAndProblemProps) {
  const home = useClient().access.value?.home;
  const { listing, problem: missing } = useListing(folder);
  return (
    <>
      <div class="place">
        <MenuButton
          class="picker"
          label={`Folder: ${folder === '' ? 'none' : folder}`}
          menu="Folder"
          kind="dialog"
          shape="wide"
          face={
            <>
              <Icon name="folder" />
              <b class="truncate">{folder === '' ? 'No folder' : nameOf(folder)}</b>
              <span class="path truncate">{shortPath(folder, home)}</span>
              <Icon name="down" kind="chev" />
            </>
          }
        >
          {(close) => <Choice folder={folder} onChange={onChange} onDone={close} />}
        </MenuButton>
        {listing?.branch !== undefined && (
          <span class="picker fixed" title="Git branch">
            <Icon name="branch" />
            <span class="unseen">Branch: </span>
            {listing.branch}
          </span>
        )}
      </div>
      {problem + missing !== '' && (
        <p class="field-error" role={problem === '' ? 'status' : 'alert'}>
          <Icon name="warn" />
          {problem || missing}
        </p>
      )}
    </>
  );
}

interface ChoiceProps extends FolderPickerProps {
  readonly onDone: () => void;
}

const maxRecent = 6;

function Choice({ folder, onChange, onDone }: ChoiceProps) {
  const client = useClient();
  const home = client.access.value?.home;
  const [browsing, setBrowsing] = useState(false);
  const recent = recentFolders([...client.sessions.value.values()])
    .map(pathOf)
    .slice(0, maxRecent);
  const choose = (path: string): void => {
    onDone();
    onChange(path);
  };
  return (
    <>
      <div class="find">
        <span class="with-icon">
          <Icon name="search" />
          <input
            class="input quiet"
            aria-label="Folder"
            placeholder="Type a path, such as ~/code/shop"
            spellcheck={false}
            autocapitalize="off"
            value={folder}
            onInput={(event) => onChange(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              onDone();
            }}
          />
        </span>
      </div>
      {browsing ? (
        <Browser folder={folder} onChange={onChange} />
      ) : (
        <>
          {recent.map((path) => (
            <button key={path} type="button" class="item" onClick={() => choose(path)}>
              <Icon name="folder" />
              <span class="truncate">{nameOf(path)}</span>
              <span class="end truncate">{shortPath(path, home)}</span>
            </button>
          ))}
          {recent.length > 0 && <hr />}
          <button type="button" class="item" onClick={() => setBrowsing(true)}>
            <Icon name="folder" />
            <span>Browse…</span>
          </button>
        </>
      )}
    </>
  );
}

function Browser({ folder, onChange }: FolderPickerProps) {
  const { listing, problem } = useListing(folder);
  if (problem !== '') return <p class="note">{problem}</p>;
  return (
    <ul class="scrollbox" aria-label="Folders">
      {listing && (
        <li>
          <button type="button" class="item" onClick={() => onChange(listing.parent)}>
            <Icon name="up" />
            {listing.parent}
          </button>
        </li>
      )}
      {listing?.folders.map(({ name, path }) => (
        <li key={path}>
          <button type="button" class="item" onClick={() => onChange(path)}>
            <Icon name="folder" />
            {name}
          </button>
        </li>
      ))}
    </ul>
  );
}

const pauseMs = 250;

/** The listing of a folder, shortly after the last key; a problem if the folder does not exist. */
function useListing(folder: string): {
  readonly listing?: FolderListing | undefined;
  readonly problem: string;
} {
  const client = useClient();
  const online = client.connection.value.kind === 'online';
  const [found, setFound] = useState<{ readonly listing?: FolderListing; readonly problem: string }>({
    problem: '',
  });
  useEffect(() => {
    let current = true;
    if (folder === '' || !online) return setFound({ problem: '' });
    const timer = setTimeout(() => {
      folderListing(client, folder).then(
        (listing) => current && setFound({ listing, problem: '' }),
        (error: unknown) => current && setFound({ problem: errorText(error) }),
      );
    }, pauseMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [folder, online, client.access.value]);
  return found;
}
