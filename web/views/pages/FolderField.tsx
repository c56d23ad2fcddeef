// The folder to work in: typed, or picked from what the host lists.
import { useState } from 'preact/hooks';
import type { Client } from '../../client/client.ts';
import type { Folders } from '../../client/own.ts';
import { useClient } from '../../state/app.ts';
import { problemText } from '../../state/toasts.ts';
import { typedFileUri } from '../../text/words.ts';
import { Icon } from '../parts/Icon.tsx';

interface FolderFieldProps {
  readonly folder: string;
  readonly onChange: (folder: string) => void;
}

export function FolderField({ folder, onChange }: FolderFieldProps) {
  const client = useClient();
  const [listed, setListed] = useState<Folders>();
  const [problem, setProblem] = useState('');

  const browse = async (from: string): Promise<void> => {
    setProblem('');
    try {
      const found = client.me.value
        ? await client.ask('console/folders', { at: from })
        : await listedBy(client, from);
      setListed(found);
      if (found.folder !== from) onChange(found.folder);
    } catch (error) {
      setProblem(problemText(error));
      setListed(undefined);
    }
  };
  const enter = (next: string): void => {
    onChange(next);
    void browse(next);
  };
  return (
    <div class="folder-field">
      <label>
        <span>Folder</span>
        {/* Whoever is about to type is not given another folder under their hands. */}
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
        aria-expanded={listed !== undefined}
        onClick={() => (listed ? setListed(undefined) : void browse(folder))}
      >
        <Icon name="folder" /> Browse
      </button>
      {problem !== '' && (
        <p class="hint" role="status">
          The host does not list folders here ({problem}). Type the path.
        </p>
      )}
      {listed && (
        <ul class="folders" aria-label="Folders">
          <li>
            <button type="button" class="quiet" onClick={() => enter(listed.parent)}>
              <Icon name="up" /> {listed.parent}
            </button>
          </li>
          {listed.folders.map(({ name, path }) => (
            <li key={path}>
              <button type="button" class="quiet" onClick={() => enter(path)}>
                <Icon name="folder" /> {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** As hosts list folders that are not ours, and that serve them. */
async function listedBy(client: Client, from: string): Promise<Folders> {
  const folder = from.replace(/\/+$/, '');
  const { entries } = await client.request('resourceList', { uri: typedFileUri(folder || '/') });
  const folders = entries.flatMap(({ type, name }) =>
    type === 'directory' && !name.startsWith('.') ? [{ name, path: `${folder}/${name}` }] : [],
  );
  return { folder: folder || '/', parent: folder.replace(/\/[^/]*$/, '') || '/', folders };
}
