// A modal dialog that a part of the state opens and closes.
import { useEffect, useRef } from 'preact/hooks';

export function useDialog(open: boolean) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) box.current?.showModal();
    else box.current?.close();
  }, [open]);
  return box;
}
