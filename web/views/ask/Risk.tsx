// How risky the host judges a call to be.
import type { ToolCallRiskAssessment } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { Inline } from '../parts/Inline.tsx';

export function Risk({ assessment }: { readonly assessment: ToolCallRiskAssessment }) {
  if (assessment.status === 'loading') return <p class="hint">Judging the risk…</p>;
  return (
    <p class="risk">
      <label>
        Judged safety <meter min={0} max={1} low={0.4} high={0.7} optimum={1} value={assessment.safety} />
      </label>{' '}
      <Inline text={assessment.reason} />
    </p>
  );
}
