// The input of an interactive job: lines, and a button that ends the input.
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { InputLine } from './InputLine.tsx';

interface JobInputProps {
  readonly id: string;
  readonly label: string;
  readonly onEnded: () => void;
}

export function JobInput({ id, label, onEnded }: JobInputProps) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const write = (text: string | null) =>
    run(async () => {
      if (!(await client.requestExtension('jobs/write', { id, text })))
        throw new Error('The program does not read its input.');
    });
  const end = async () => {
    await write(null);
    onEnded();
  };
  return (
    <InputLine
      label={`Input for ${label}`}
      placeholder="Input"
      isCode
      disabled={busy}
      onSend={(line) => write(`${line}\n`)}
    >
      <button
        type="button"
        class="btn"
        aria-label={`End input of ${label}`}
        disabled={busy}
        onClick={() => void end()}
      >
        End input
      </button>
    </InputLine>
  );
}
