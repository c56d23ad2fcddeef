// A modal dialog that a part of the state opens and closes.
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export function useDialog(open: Signal<boolean>) {
  const box = useRef<HTMLDialogElement>(null);
  const closing = useRef(0);
  const isOpen = open.value;
  useEffect(() => {
    if (isOpen) box.current?.showModal();
    else if (box.current?.open) {
      closing.current += 1;
      box.current.close();
    }
  }, [isOpen]);
  // The browser tells later that we have closed it; it may be open again by then.
  const onClose = (): void => {
    if (closing.current > 0) closing.current -= 1;
    else open.value = false;
  };
  return { box, onClose };
}
