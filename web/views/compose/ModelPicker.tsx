// Chooses the model for the next message.
import type { SessionModelInfo } from '../../../src/protocols/ahp/v1_0/state.ts';

interface ModelPickerProps {
  readonly models: readonly SessionModelInfo[];
  readonly model: string | undefined;
  readonly onChoose: (model: string) => void;
}

export function ModelPicker({ models, model, onChoose }: ModelPickerProps) {
  if (models.length === 0) return null;
  const isListed = models.some(({ id }) => id === model);
  return (
    <label class="picker">
      <span class="unseen">Model</span>
      <select value={model ?? models[0]?.id} onChange={(event) => onChoose(event.currentTarget.value)}>
        {!isListed && model !== undefined && <option value={model}>{model}</option>}
        {models.map(({ id, name, policyState }) => (
          <option key={id} value={id} disabled={policyState === 'disabled'}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
