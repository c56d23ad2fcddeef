// One part of an answer; its kind decides the component.
import type { ResponsePart } from '../../../src/protocols/ahp/v1_0/state.ts';
import { AnsweredQuestion } from '../ask/AnsweredQuestion.tsx';
import { QuestionForm } from '../ask/QuestionForm.tsx';
import { ContentRefView } from '../parts/ContentRefView.tsx';
import { InlineText } from '../parts/InlineText.tsx';
import { Markdown } from '../parts/Markdown.tsx';
import { memo } from '../parts/memo.tsx';
import { planIn, PlanView } from '../parts/PlanView.tsx';
import { ToolCard } from '../tools/ToolCard.tsx';
import { ErrorCard } from './ErrorCard.tsx';
import { Reasoning } from './Reasoning.tsx';

interface PartViewProps {
  readonly part: ResponsePart;
  readonly turnId: string;
  /** True for the part that is still growing. */
  readonly live: boolean;
  /** The error after which the conversation may be continued. */
  readonly last: boolean;
  /** In the running or last turn. */
  readonly recent: boolean;
}

export const PartView = memo(function PartView({ part, turnId, live, last, recent }: PartViewProps) {
  switch (part.kind) {
    case 'markdown':
      return <Markdown text={part.content} live={live} />;
    case 'reasoning':
      return <Reasoning text={part.content} live={live} />;
    case 'toolCall':
      return <ToolCard call={part.toolCall} turnId={turnId} recent={recent} />;
    case 'inputRequest':
      return part.response === undefined && live ? (
        <QuestionForm request={part.request} />
      ) : (
        <AnsweredQuestion part={part} />
      );
    case 'contentRef':
      return <ContentRefView content={part} />;
    case 'systemNotification':
      return <Notice part={part} />;
    case 'error':
      return <ErrorCard part={part} turnId={turnId} last={last} />;
    default:
      return null;
  }
});

function Notice({ part }: { readonly part: Extract<ResponsePart, { kind: 'systemNotification' }> }) {
  const plan = planIn(part._meta);
  if (plan) return <PlanView entries={plan} />;
  return (
    <p class="day" role="note" dir="auto">
      <InlineText text={part.content} />
    </p>
  );
}
