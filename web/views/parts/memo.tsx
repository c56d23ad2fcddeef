// Components that render again only when their properties changed: a delta touches one part
// of a long transcript.
import { Component } from 'preact';
import type { ComponentChild, ComponentType } from 'preact';

export type Same<Props> = (before: Readonly<Props>, after: Readonly<Props>) => boolean;

export function memo<Props extends object>(
  View: (props: Props) => ComponentChild,
  same: Same<Props> = sameMembers,
): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !same(this.props, next);
    }

    override render(props: Readonly<Props>): ComponentChild {
      return <View {...props} />;
    }
  };
}

function sameMembers<Props extends object>(before: Readonly<Props>, after: Readonly<Props>): boolean {
  const entries = Object.entries(after);
  const old = new Map<string, unknown>(Object.entries(before));
  return entries.length === old.size && entries.every(([name, value]) => old.get(name) === value);
}
