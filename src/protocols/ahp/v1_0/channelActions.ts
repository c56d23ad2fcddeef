// The actions of the smaller channels, as maps from action type to payload.
import type { AutomationDefinition, AutomationEntry, AutomationRunLifecycle } from './automation.ts';
import type { ErrorInfo, Open, TextRange, URI } from './content.ts';
import type {
  Annotation,
  AnnotationEntry,
  AnnotationOrigin,
  CanvasState,
  ChangesetFile,
  ChangesetOperation,
  ChangesetState,
  TerminalClaim,
} from './state.ts';

export interface TerminalActions {
  'terminal/data': { readonly data: string };
  'terminal/input': { readonly data: string };
  'terminal/resized': { readonly cols: number; readonly rows: number };
  'terminal/claimed': { readonly claim: TerminalClaim };
  'terminal/titleChanged': { readonly title: string };
  'terminal/cwdChanged': { readonly cwd: URI };
  'terminal/exited': { readonly exitCode?: number };
  'terminal/cleared': object;
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

export interface ChangesetActions {
  'changeset/statusChanged': { readonly status: ChangesetState['status']; readonly error?: ErrorInfo };
  'changeset/fileSet': { readonly file: ChangesetFile };
  'changeset/fileRemoved': { readonly fileId: string };
  'changeset/filesReviewChanged': { readonly files: readonly string[]; readonly reviewed: boolean };
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

export interface AnnotationsActions {
  'annotations/set': { readonly annotation: Annotation };
  'annotations/updated': {
    readonly annotationId: string;
    readonly origin?: AnnotationOrigin;
    readonly resource?: URI;
    readonly range?: TextRange;
    readonly resolved?: boolean;
  };
  'annotations/removed': { readonly annotationId: string };
  'annotations/entrySet': { readonly annotationId: string; readonly entry: AnnotationEntry };
  'annotations/entryRemoved': { readonly annotationId: string; readonly entryId: string };
}

export interface ResourceWatchActions {
  'resourceWatch/changed': {
    readonly changes: {
      readonly items: readonly { readonly uri: URI; readonly type: Open<'added' | 'updated' | 'deleted'> }[];
    };
  };
}

export interface AutomationActions {
  'automation/createRequested': { readonly resource: URI; readonly definition: AutomationDefinition };
  'automation/updateRequested': { readonly resource: URI; readonly changes: Partial<AutomationDefinition> };
  'automation/set': { readonly automation: AutomationEntry };
  'automation/removed': { readonly resource: URI };
}

export interface AutomationRunActions {
  'automationRun/lifecycleChanged': { readonly lifecycle: AutomationRunLifecycle };
  'automationRun/sessionSet': { readonly session: URI };
  'automationRun/sessionRemoved': { readonly session: URI };
  'automationRun/primarySessionChanged': { readonly primarySession?: URI };
  'automationRun/cancelRequested': object;
}

export interface CanvasActions {
  'canvas/stateChanged': { readonly canvas: CanvasState };
}
