// The actions of the smaller channels, as maps from action type to payload, and since when peers know them.
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

export interface ChannelActions
  extends
    TerminalActions,
    ChangesetActions,
    AnnotationsActions,
    ResourceWatchActions,
    AutomationActions,
    AutomationRunActions,
    CanvasActions {}

export const channelActionSince: Readonly<Record<keyof ChannelActions, string>> = {
  'terminal/data': '0.1.0',
  'terminal/input': '0.1.0',
  'terminal/resized': '0.1.0',
  'terminal/claimed': '0.1.0',
  'terminal/titleChanged': '0.1.0',
  'terminal/cwdChanged': '0.1.0',
  'terminal/exited': '0.1.0',
  'terminal/cleared': '0.1.0',
  'terminal/commandDetectionAvailable': '0.1.0',
  'terminal/commandExecuted': '0.1.0',
  'terminal/commandFinished': '0.1.0',
  'changeset/statusChanged': '0.2.0',
  'changeset/fileSet': '0.2.0',
  'changeset/fileRemoved': '0.2.0',
  'changeset/operationsChanged': '0.2.0',
  'changeset/cleared': '0.2.0',
  'resourceWatch/changed': '0.2.0',
  'changeset/operationStatusChanged': '0.3.0',
  'changeset/contentChanged': '0.4.0',
  'annotations/set': '0.4.0',
  'annotations/updated': '0.4.0',
  'annotations/removed': '0.4.0',
  'annotations/entrySet': '0.4.0',
  'annotations/entryRemoved': '0.4.0',
  'changeset/filesReviewChanged': '0.6.0',
  'automation/createRequested': '0.8.0',
  'automation/updateRequested': '0.8.0',
  'automation/set': '0.8.0',
  'automation/removed': '0.8.0',
  'automationRun/lifecycleChanged': '0.8.0',
  'automationRun/sessionSet': '0.8.0',
  'automationRun/sessionRemoved': '0.8.0',
  'automationRun/primarySessionChanged': '0.8.0',
  'automationRun/cancelRequested': '0.8.0',
  'canvas/stateChanged': '1.0.0',
};
