// The actions of terminals, as a map from action type to payload.
import type { URI } from './content.ts';
import type { TerminalClaim } from './state.ts';

interface OfTerminal {
  readonly terminal: URI;
}

export interface TerminalActions {
  'terminal/data': OfTerminal & { readonly data: string };
  'terminal/input': OfTerminal & { readonly data: string };
  'terminal/resized': OfTerminal & { readonly cols: number; readonly rows: number };
  'terminal/claimed': OfTerminal & { readonly claim: TerminalClaim };
  'terminal/titleChanged': OfTerminal & { readonly title: string };
  'terminal/cwdChanged': OfTerminal & { readonly cwd: URI };
  'terminal/exited': OfTerminal & { readonly exitCode?: number };
  'terminal/cleared': OfTerminal;
  'terminal/commandDetectionAvailable': OfTerminal;
  'terminal/commandExecuted': OfTerminal & {
    readonly commandId: string;
    readonly commandLine: string;
    readonly timestamp: number;
  };
  'terminal/commandFinished': OfTerminal & {
    readonly commandId: string;
    readonly exitCode?: number;
    readonly durationMs?: number;
  };
}
