// A button that copies a text to the clipboard.
import { announce, toast } from '../../state/toasts.ts';
import { IconButton } from './Icon.tsx';

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce('Copied.');
  } catch {
    toast('problem', 'Copying is blocked by the browser');
  }
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  return <IconButton icon="copy" label={`Copy ${what}`} onClick={() => void copyText(text)} />;
}
