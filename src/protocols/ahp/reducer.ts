// Turns a table of handlers, one per action type, into a total reducer. It knows no action type.

export type Handlers<
  State,
  Action extends { readonly type: string },
  Context extends readonly unknown[] = [],
> = {
  readonly [Type in Action['type']]: (
    state: State,
    action: Extract<Action, { readonly type: Type }>,
    ...context: Context
  ) => State;
};

export type Reducer<State, Context extends readonly unknown[] = []> = (
  state: State,
  action: { readonly type: string },
  ...context: Context
) => State;

/** An action without a handler is from another channel or from the future: it leaves the state as it is. */
export function reducerOf<
  State,
  Action extends { readonly type: string },
  Context extends readonly unknown[] = [],
>(handlers: Handlers<State, Action, Context>): Reducer<State, Context> {
  const byType = new Map<string, Reducer<State, Context>>(Object.entries(handlers));
  return (state, action, ...context) => {
    const handler = byType.get(action.type);
    return handler === undefined ? state : handler(state, action, ...context);
  };
}
