// The permission mode of a chat in words: ECA has no other place for it.
import { autonomyTexts } from '../../../host/settings/autonomy.ts';
import { modeChooser } from '../../../model/howItRan.ts';
import type { State } from '../../../model/state.ts';

export function permissionsText({ autonomy }: State): string {
  const level = autonomy?.level ?? 'ask';
  const by = autonomy ? `, chosen by ${modeChooser(autonomy)}` : '';
  return `${level === 'full' ? '🔴 ' : ''}The permission mode is ${level}${by}. ${autonomyTexts[level].meaning}`;
}
