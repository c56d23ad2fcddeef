// The folder to work in: the user types a path or browses the host's folders.
import { useState } from 'preact/hooks';
import { errorText } from '../../../src/base/errorText.ts';
import type { Client } from '../../client/client.ts';
import type { FolderListing } from '../../client/extensions.ts';
import { useClient } from '../../state/app.ts';
import { toUri } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';

interface FolderFieldProps {
  readonly folder: string;
  readonly onChange: (folder: string) => void;
}

export function FolderField({ folder, onChange }: FolderFieldProps) {
  const { listing, problem, browse, close } = useFolderBrowser(onChange);
  return (
    <div class="folder-field">
      <label>
        <span>Folder</span>
        {/* Focusing fixes the value: a later default must not replace it while the user types. */}
        <input
          value={folder}
          onFocus={() => onChange(folder)}
          spellcheck={false}
          autocapitalize="off"
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      <button
        type="button"
        aria-expanded={listing !== undefined}
        onClick={() => (listing ? close() : browse(folder))}
      >
        <Icon name="folder" /> Browse
      </button>
      {problem !== '' && (
        <p class="hint" role="status">
          The host cannot list this folder ({problem}). Type the path.
        </p>
      )}
      {listing && <FolderList listing={listing} onEnter={browse} />}
    </div>
  );
}

function FolderList({
  listing: { parent, folders },
  onEnter,
}: {
  readonly listing: FolderListing;
  readonly onEnter: (path: string) => void;
}) {
  return (
    <ul class="folders" aria-label="Folders">
      <li>
        <button type="button" class="quiet" onClick={() => onEnter(parent)}>
          <Icon name="up" /> {parent}
        </button>
      </li>
      {folders.map(({ name, path }) => (
        <li key={path}>
          <button type="button" class="quiet" onClick={() => onEnter(path)}>
            <Icon name="folder" /> {name}
          </button>
        </li>
      ))}
    </ul>
  );
}

function useFolderBrowser(onChange: (folder: string) => void) {
  const client = useClient();
  const [listing, setListing] = useState<FolderListing>();
  const [problem, setProblem] = useState('');
  const load = async (path: string): Promise<void> => {
    setProblem('');
    try {
      const found = await listFolders(client, path);
      setListing(found);
      if (found.folder !== path) onChange(found.folder);
    } catch (error) {
      setProblem(errorText(error));
      setListing(undefined);
    }
  };
  const browse = (path: string): void => {
    onChange(path);
    void load(path);
  };
  return { listing, problem, browse, close: () => setListing(undefined) };
}

function listFolders(client: Client, path: string): Promise<FolderListing> {
  return client.access.value
    ? client.requestExtension('console/folders', { at: path })
    : listFoldersByResource(client, path);
}

/** For hosts that are not Parley: lists folders by the standard request, if the host serves files. */
async function listFoldersByResource(client: Client, path: string): Promise<FolderListing> {
  const folder = path.replace(/\/+$/, '');
  const { entries } = await client.request('resourceList', { uri: toUri(folder || '/') });
  const folders = entries.flatMap(({ type, name }) =>
    type === 'directory' && !name.startsWith('.') ? [{ name, path: `${folder}/${name}` }] : [],
  );
  return { folder: folder || '/', parent: folder.replace(/\/[^/]*$/, '') || '/', folders };
}
