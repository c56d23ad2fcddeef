// The built-in tools, one file each; a profile may deny any of them.
import { bgJob } from './commands/bgJob.ts';
import { directoryTree } from './files/directoryTree.ts';
import { editFile } from './files/editFile.ts';
import { editorDiagnostics } from './editor/editorDiagnostics.ts';
import { editorDefinition, editorReferences } from './editor/editorNavigation.ts';
import { git } from './commands/git.ts';
import { grep } from './files/grep.ts';
import { moveFile } from './files/moveFile.ts';
import { previewFileChange } from './files/previewFileChange.ts';
import { readFile } from './files/readFile.ts';
import { shellCommand } from './commands/shellCommand.ts';
import type { Tool } from './tool.ts';
import { webFetch } from './webFetch.ts';
import { writeFile } from './files/writeFile.ts';

export const nativeTools: readonly Tool[] = [
  directoryTree,
  readFile,
  grep,
  editFile,
  writeFile,
  previewFileChange,
  moveFile,
  shellCommand,
  bgJob,
  git,
  webFetch,
  editorDiagnostics,
  editorDefinition,
  editorReferences,
];
