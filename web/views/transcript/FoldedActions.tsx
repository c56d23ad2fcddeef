// What can be done with a message or an answer, behind one button: a phone has no room for a row of them.
import type { ComponentChildren } from 'preact';
import { spokenText } from './readText.ts';
import { copyText } from '../parts/CopyButton.tsx';
import { Icon } from '../parts/Icon.tsx';
import { MenuButton, MenuItem } from '../parts/Menu.tsx';

interface FoldedActionsProps {
  readonly what: 'message' | 'answer';
  /** What is copied; empty where there is nothing. */
  readonly text: string;
  readonly children: (close: () => void) => ComponentChildren;
}

export function FoldedActions({ what, text, children }: FoldedActionsProps) {
  const label = what === 'message' ? 'Message actions' : 'Answer actions';
  return (
    <MenuButton
      class="btn ghost icon-only small"
      label={label}
      title={label}
      menu={label}
      face={<Icon name="more" />}
    >
      {(close) => (
        <>
          {text !== '' && (
            <MenuItem
              icon="copy"
              label={`Copy ${what}`}
              onChoose={() => {
                close();
                void copyText(text);
              }}
            />
          )}
          {text !== '' && what === 'answer' && (
            <MenuItem
              icon="doc"
              label="Copy answer without markdown"
              onChoose={() => {
                close();
                void copyText(spokenText(text));
              }}
            />
          )}
          {children(close)}
        </>
      )}
    </MenuButton>
  );
}
