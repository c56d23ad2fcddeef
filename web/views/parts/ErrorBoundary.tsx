// Limits a rendering error to one part of the page; the rest keeps working.
import { errorText } from '../../../src/base/errorText.ts';
import { Component } from 'preact';
import type { ComponentChildren } from 'preact';

interface ErrorBoundaryProps {
  readonly what: string;
  readonly children: ComponentChildren;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly problem?: string }> {
  override state: { readonly problem?: string } = {};

  static override getDerivedStateFromError(error: unknown): { readonly problem: string } {
    return { problem: errorText(error) };
  }

  override render({ what, children }: ErrorBoundaryProps): ComponentChildren {
    const { problem } = this.state;
    return problem === undefined ? (
      children
    ) : (
      <p class="field-error">
        {what} cannot be shown ({problem}).
      </p>
    );
  }
}
