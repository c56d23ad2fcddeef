// The tools every native conversation has.
import { bgJob } from './bgJob.ts';
import { directoryTree } from './directoryTree.ts';
import { editFile } from './editFile.ts';
import { grep } from './grep.ts';
import { readFile } from './readFile.ts';
import { shellCommand } from './shellCommand.ts';
import type { Tool } from './tool.ts';
import { writeFile } from './writeFile.ts';

export const nativeTools: readonly Tool[] = [directoryTree, readFile, grep, editFile, writeFile, shellCommand, bgJob];
