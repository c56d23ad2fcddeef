// The tools every native conversation has; each is a file of its own, and an agent may be denied any of them.
import { bgJob } from './bgJob.ts';
import { directoryTree } from './directoryTree.ts';
import { editFile } from './editFile.ts';
import { editorDiagnostics } from './editorDiagnostics.ts';
import { editorDefinition, editorReferences } from './editorNavigation.ts';
import { git } from './git.ts';
import { grep } from './grep.ts';
import { moveFile } from './moveFile.ts';
import { previewFileChange } from './previewFileChange.ts';
import { readFile } from './readFile.ts';
import { shellCommand } from './shellCommand.ts';
import type { Tool } from './tool.ts';
import { webFetch } from './webFetch.ts';
import { writeFile } from './writeFile.ts';

export const nativeTools: readonly Tool[] = [
  directoryTree, readFile, grep, editFile, writeFile, previewFileChange, moveFile, shellCommand, bgJob, git, webFetch,
  editorDiagnostics, editorDefinition, editorReferences,
];
