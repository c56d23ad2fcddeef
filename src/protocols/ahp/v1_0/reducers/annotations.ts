// The annotations channel: remarks on places in files, each with its entries.
import { present } from '../../../../base/present.ts';
import { removeAt, replaceAt, upsert } from '../../immutable.ts';
import { reducerOf } from '../../reducer.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { AnnotationsActions } from '../channelActions.ts';
import type { Annotation, AnnotationsState } from '../state.ts';

export const reduceAnnotations = reducerOf<AnnotationsState, ActionsOf<AnnotationsActions>>({
  'annotations/set': (state, { annotation }) => ({
    ...state,
    annotations: upsert(state.annotations, annotation, (entry) => entry.id === annotation.id),
  }),
  'annotations/updated': (state, { annotationId, origin, resource, range, resolved }) =>
    change(state, annotationId, (annotation) => ({
      ...annotation,
      ...present({ origin, resource, range, resolved }),
    })),
  'annotations/removed': (state, action) => {
    const index = state.annotations.findIndex((annotation) => annotation.id === action.annotationId);
    return index < 0 ? state : { ...state, annotations: removeAt(state.annotations, index) };
  },
  'annotations/entrySet': (state, { annotationId, entry }) =>
    change(state, annotationId, (annotation) => ({
      ...annotation,
      entries: upsert(annotation.entries, entry, (other) => other.id === entry.id),
    })),
  'annotations/entryRemoved': (state, action) =>
    change(state, action.annotationId, (annotation) => {
      const index = annotation.entries.findIndex((entry) => entry.id === action.entryId);
      return index < 0 ? annotation : { ...annotation, entries: removeAt(annotation.entries, index) };
    }),
});

function change(
  state: AnnotationsState,
  id: string,
  update: (annotation: Annotation) => Annotation,
): AnnotationsState {
  const index = state.annotations.findIndex((annotation) => annotation.id === id);
  const annotation = state.annotations[index];
  if (annotation === undefined) return state;
  const updated = update(annotation);
  return updated === annotation
    ? state
    : { ...state, annotations: replaceAt(state.annotations, index, updated) };
}
