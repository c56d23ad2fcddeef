// The pickers of a composer: a row of menus; on a phone one button with a sheet for all of them.
import { useState } from 'preact/hooks';
import { Icon } from '../parts/Icon.tsx';
import { MenuButton, MenuItem } from '../parts/Menu.tsx';
import { chosenLabel, permissionsName } from './pickers.ts';
import type { Picker, PickerOption } from './pickers.ts';

export function PickerBar({ pickers }: { readonly pickers: readonly Picker[] }) {
  const offered = pickers.filter(({ groups }) => groups.some(({ options }) => options.length > 0));
  return (
    <>
      {offered.map((picker) => (
        <PickerMenu key={picker.name} picker={picker} />
      ))}
      <AllPickers pickers={offered} />
    </>
  );
}

/** Longer lists get a search field. */
const maxPlain = 8;

function countOf({ groups }: Picker): number {
  return groups.reduce((sum, { options }) => sum + options.length, 0);
}

function PickerMenu({ picker }: { readonly picker: Picker }) {
  const { name, icon, choose } = picker;
  const label = chosenLabel(picker);
  const isLong = countOf(picker) > maxPlain;
  if (!choose)
    return (
      <span class="picker fixed" title={`${name}: fixed for this session`}>
        <Icon name={icon} />
        <span class="unseen">{name}: </span>
        <span class="truncate">{label}</span>
      </span>
    );
  return (
    <MenuButton
      class={`picker ${toneOf(picker)}`}
      label={`${name}: ${label}`}
      title={titleOf(picker)}
      menu={name}
      kind={isLong ? 'dialog' : 'menu'}
      shape={isLong ? 'wide' : ''}
      face={
        <>
          <Icon name={icon} />
          <span class="truncate">{label}</span>
          <Icon name="down" kind="chev" />
        </>
      }
    >
      {(close) => <Options picker={picker} isLong={isLong} onDone={close} />}
    </MenuButton>
  );
}

function titleOf({ name, keys, by }: Picker): string {
  const chosen = by === undefined ? name : `${name}, chosen by ${by}`;
  return keys === undefined ? chosen : `${chosen} (${keys.replace(' ', '+')})`;
}

/** Modes that only read, and modes that ask for nothing, look different. */
function toneOf({ name, chosen }: Picker): string {
  if (name !== 'Mode' && name !== permissionsName) return '';
  if (chosen === 'plan') return 'mode-plan';
  return chosen === 'full' ? 'mode-full' : '';
}

interface OptionsProps {
  readonly picker: Picker;
  readonly isLong: boolean;
  readonly onDone: () => void;
}

function Options({ picker, isLong, onDone }: OptionsProps) {
  const [text, setText] = useState('');
  const has = ({ id, label }: PickerOption) => `${id} ${label}`.toLowerCase().includes(text.toLowerCase());
  const groups = picker.groups
    .map(({ title, options }) => ({ title, options: options.filter(has) }))
    .filter(({ options }) => options.length > 0);
  const choose = (id: string): void => {
    onDone();
    picker.choose?.(id);
  };
  const list = groups.map(({ title, options }) => (
    <div key={title} role="group" aria-label={title}>
      <div class="menu-head" aria-hidden="true">
        {title}
        {picker.keys !== undefined && <span class="end desk-only">{picker.keys} cycles</span>}
      </div>
      {options.map(({ id, label, note, end, disabled = false }) => (
        <MenuItem
          key={id}
          label={label}
          note={id === picker.chosen ? chosenNote(note, picker) : note}
          end={end}
          disabled={disabled}
          checked={id === picker.chosen}
          role={isLong ? 'option' : 'menuitem'}
          onChoose={() => choose(id)}
        />
      ))}
    </div>
  ));
  if (!isLong) return <>{list}</>;
  return (
    <>
      <div class="find">
        <span class="with-icon">
          <Icon name="search" />
          <input
            class="input quiet"
            aria-label={`Find: ${picker.name}`}
            placeholder={`Find a ${picker.name.toLowerCase()}`}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </span>
      </div>
      {list.length === 0 ? (
        <p class="note">Nothing found</p>
      ) : (
        <div class="scrollbox" role="listbox" aria-label={picker.name} tabIndex={0}>
          {list}
        </div>
      )}
    </>
  );
}

function chosenNote(note: string | undefined, { by }: Picker): string | undefined {
  return by === undefined ? note : [note, `Chosen by ${by}.`].join(' ').trim();
}

function AllPickers({ pickers }: { readonly pickers: readonly Picker[] }) {
  const summary = pickers.filter(({ choose }) => choose).map(chosenLabel);
  return (
    <MenuButton
      class={`picker one ${pickers.map(toneOf).includes('mode-full') ? 'mode-full' : ''}`}
      label={`Options: ${summary.join(', ')}`}
      menu="Options"
      kind="dialog"
      face={<Icon name="sliders" />}
    >
      {(close) => <PickerSheet pickers={pickers} onDone={close} />}
    </MenuButton>
  );
}

/** First the names of the pickers, then the options of the one that was chosen. */
function PickerSheet({
  pickers,
  onDone,
}: {
  readonly pickers: readonly Picker[];
  readonly onDone: () => void;
}) {
  const [name, setName] = useState<string>();
  const picker = pickers.find((each) => each.name === name);
  if (picker) {
    const isLong = countOf(picker) > maxPlain;
    const options = <Options picker={picker} isLong={isLong} onDone={onDone} />;
    // A long one has its list below a field.
    return isLong ? (
      options
    ) : (
      <div role="menu" aria-label={picker.name}>
        {options}
      </div>
    );
  }
  return (
    <>
      <p class="menu-head">For the next message</p>
      {pickers.map((each) => (
        <button
          key={each.name}
          type="button"
          class="item"
          disabled={!each.choose}
          onClick={() => setName(each.name)}
        >
          <Icon name={each.icon} />
          <span>{each.name}</span>
          <span class="end">{chosenLabel(each)}</span>
        </button>
      ))}
    </>
  );
}
