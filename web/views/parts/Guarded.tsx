// Keeps a mistake in one part of the page to that part: the rest goes on working.
import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { problemText } from '../../state/toasts.ts';

interface GuardedProps {
  readonly what: string;
  readonly children: ComponentChildren;
}

export class Guarded extends Component<GuardedProps, { readonly problem?: string }> {
  override state: { readonly problem?: string } = {};

  static override getDerivedStateFromError(error: unknown): { readonly problem: string } {
    return { problem: problemText(error) };
  }

  override render({ what, children }: GuardedProps): ComponentChildren {
    const { problem } = this.state;
    return problem === undefined ? (
      children
    ) : (
      <p class="problem">
        {what} cannot be shown ({problem}).
      </p>
    );
  }
}
