// The actions of the smaller channels, as maps from action type to payload.
import type { AutomationEntry, AutomationRunLifecycle } from './automation.ts';
import type { ClientActions } from '../actionTypes.ts';
import type { clientActionSchemas } from './schema/actions.ts';
import type { ErrorInfo, Open, URI } from './content.ts';
import type { CanvasState, ChangesetFile, ChangesetOperation, ChangesetState } from './state.ts';

export interface TerminalActions extends ClientActions<typeof clientActionSchemas, 'terminal'> {
  'terminal/data': { readonly data: string };
  'terminal/cwdChanged': { readonly cwd: URI };
  'terminal/exited': { readonly exitCode?: number };
  'terminal/commandDetectionAvailable': object;
  'terminal/commandExecuted': {
    readonly commandId: string;
    readonly commandLine: string;
    readonly timestamp: number;
  };
  'terminal/commandFinished': {
    readonly commandId: string;
    readonly exitCode?: number;
    readonly durationMs?: number;
  };
}

export interface ChangesetActions extends ClientActions<typeof clientActionSchemas, 'changeset'> {
  'changeset/statusChanged': { readonly status: ChangesetState['status']; readonly error?: ErrorInfo };
  'changeset/fileSet': { readonly file: ChangesetFile };
  'changeset/fileRemoved': { readonly fileId: string };
  'changeset/contentChanged': {
    readonly files: readonly ChangesetFile[];
    readonly operations?: readonly ChangesetOperation[];
  };
  'changeset/operationsChanged': { readonly operations?: readonly ChangesetOperation[] };
  'changeset/operationStatusChanged': {
    readonly operationId: string;
    readonly status: ChangesetOperation['status'];
    readonly error?: ErrorInfo;
  };
  'changeset/cleared': object;
}

export type AnnotationsActions = ClientActions<typeof clientActionSchemas, 'annotations'>;

export interface ResourceWatchActions {
  'resourceWatch/changed': {
    readonly changes: {
      readonly items: readonly { readonly uri: URI; readonly type: Open<'added' | 'updated' | 'deleted'> }[];
    };
  };
}

export interface AutomationActions extends ClientActions<typeof clientActionSchemas, 'automation'> {
  'automation/set': { readonly automation: AutomationEntry };
}

export interface AutomationRunActions extends ClientActions<typeof clientActionSchemas, 'automationRun'> {
  'automationRun/lifecycleChanged': { readonly lifecycle: AutomationRunLifecycle };
  'automationRun/sessionSet': { readonly session: URI };
  'automationRun/sessionRemoved': { readonly session: URI };
  'automationRun/primarySessionChanged': { readonly primarySession?: URI };
}

export interface CanvasActions {
  'canvas/stateChanged': { readonly canvas: CanvasState };
}
