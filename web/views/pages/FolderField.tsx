// The folder to work in: typed, or picked from what the host lists.
import { useState } from 'preact/hooks';
import { useClient } from '../../state/app.ts';
import { problemText } from '../../state/toasts.ts';
import { fileUri } from '../../text/words.ts';
import { Icon } from '../parts/Icon.tsx';

interface FolderFieldProps {
  readonly folder: string;
  readonly onChange: (folder: string) => void;
}

export function FolderField({ folder, onChange }: FolderFieldProps) {
  const client = useClient();
  const [folders, setFolders] = useState<readonly string[]>();
  const [problem, setProblem] = useState('');

  const browse = async (from: string): Promise<void> => {
    setProblem('');
    try {
      const { entries } = await client.request('resourceList', { uri: fileUri(from || '/') });
      setFolders(entries.filter(({ type, name }) => type === 'directory' && !name.startsWith('.')).map(({ name }) => name));
    } catch (error) {
      setProblem(problemText(error));
      setFolders(undefined);
    }
  };
  const enter = (next: string): void => {
    onChange(next);
    void browse(next);
  };
  const parent = folder.replace(/\/+$/, '').replace(/\/[^/]*$/, '') || '/';

  return (
    <div class="folder-field">
      <label>
        <span>Folder</span>
        <input value={folder} spellcheck={false} autocapitalize="off" onInput={(event) => onChange(event.currentTarget.value)} />
      </label>
      <button type="button" aria-expanded={folders !== undefined} onClick={() => (folders ? setFolders(undefined) : void browse(folder))}>
        <Icon name="folder" /> Browse
      </button>
      {problem !== '' && <p class="hint" role="status">The host does not list folders here ({problem}). Type the path.</p>}
      {folders && (
        <ul class="folders" aria-label="Folders">
          <li>
            <button type="button" class="quiet" onClick={() => enter(parent)}>
              <Icon name="up" /> {parent}
            </button>
          </li>
          {folders.map((name) => (
            <li key={name}>
              <button type="button" class="quiet" onClick={() => enter(`${folder.replace(/\/+$/, '')}/${name}`)}>
                <Icon name="folder" /> {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
