// The host's risk assessment of a tool call.
import type { ToolCallRiskAssessment } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { InlineText } from '../parts/InlineText.tsx';

export function Risk({ assessment }: { readonly assessment: ToolCallRiskAssessment }) {
  if (assessment.status === 'loading') return <p class="note">Assessing the risk…</p>;
  return (
    <p class="note risk">
      <label>
        Estimated safety <meter min={0} max={1} low={0.4} high={0.7} optimum={1} value={assessment.safety} />
      </label>{' '}
      <InlineText text={assessment.reason} />
    </p>
  );
}
