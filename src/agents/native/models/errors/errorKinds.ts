// The kinds of errors that providers report: how each is recognised and what users are told. One table for
// all vendors, because gateways pass the errors of other vendors on. A status or code decides where the
// vendor has one; message texts are for vendors without.
import type { ErrorFacts } from './errorFacts.ts';
import type { FailedRequest } from './failedRequest.ts';

export type ErrorCode =
  | 'auth'
  | 'rate-limited'
  | 'overloaded'
  | 'context-overflow'
  | 'invalid-image'
  | 'network'
  | 'invalid'
  | 'refused'
  | 'unknown';

export interface ErrorKind {
  readonly code: ErrorCode;
  readonly status?: (status: number) => boolean;
  readonly codes?: RegExp;
  /** Only for errors that some providers have no code for. */
  readonly message?: RegExp;
  /** The statuses with which `message` counts; all if absent. */
  readonly messageStatus?: (status: number | undefined) => boolean;
  readonly retryable?: true;
  readonly text: (request: FailedRequest, facts: ErrorFacts) => string;
}

export function isKind(
  { status, codes, message, messageStatus = () => true }: ErrorKind,
  facts: ErrorFacts,
): boolean {
  return (
    (facts.status !== undefined && (status?.(facts.status) ?? false)) ||
    (codes?.test(facts.codes) ?? false) ||
    ((message?.test(facts.message) ?? false) && messageStatus(facts.status))
  );
}

/** The statuses with which vendors reject a request because of its content. */
export function isContentStatus(status: number | undefined): boolean {
  return status === undefined || status === 400 || status === 404 || status === 415 || status === 422;
}

/** Every vendor words this in its own way. */
const contextOverflow = new RegExp(
  [
    'prompt is too long',
    'prompt (?:exceeds|length exceeds)',
    'maximum (?:context|prompt) length',
    'context window',
    'context[ _]length (?:exceeded|of only)',
    "exceeds? (?:the )?(?:available |maximum |model's )*context",
    'exceed context limit',
    'input token count .* exceeds',
    'prompt token count of .* exceeds',
    'input is too long',
    'too many (?:total text bytes|input tokens)',
    'too large for model',
    'reduce the length of the (?:messages|prompt|input)',
    'exceeded model token limit',
    'greater than the context length',
    'request too large',
    "longer than the (?:model's )?context",
  ].join('|'),
  'i',
);

/** One broken image, or a model that does not accept images. */
const rejectedImage = new RegExp(
  [
    '(?:invalid|unsupported|(?:could not|cannot|unable to|failed to) ' +
      '(?:process|decode|download|parse|load|read)) (?:the |this |an? |input |provided )*image',
    "(?:does not|doesn't|not) support (?:image|vision)",
    'support image input',
    'not a multimodal model',
    '\\bimages?(?:_url)?\\b[^]{0,120}' +
      '(?:\\bpixels?\\b|\\bdimensions?\\b|exceeds?\\b|too (?:small|large|big|many)|(?:in|not )valid|corrupt' +
      '|(?:un|not )supported|only supported|is not (?:enabled|allowed)|may be provided)',
  ].join('|'),
  'i',
);

export const invalidImage: ErrorKind = {
  code: 'invalid-image',
  codes: /invalid_image|image_parse_error|unsupported_image/,
  message: rejectedImage,
  messageStatus: isContentStatus,
  text: ({ model }, { message }) =>
    sentence(`The model ${model} does not accept an image of this conversation`, message),
};

/** The first kind that matches decides. */
export const errorKinds: readonly ErrorKind[] = [
  {
    code: 'invalid',
    status: (status) => status >= 300 && status < 400,
    text: ({ name, url }) => `${name} redirects from ${url}; check that address.`,
  },
  {
    code: 'context-overflow',
    status: (status) => status === 413,
    codes:
      /context_length_exceeded|request_too_large|model_max_prompt_tokens_exceeded|exceed_context_size_error/,
    message: contextOverflow,
    text: ({ model }) =>
      `The conversation is too long for ${model}. Start a new chat, or go back to an earlier message.`,
  },
  invalidImage,
  {
    code: 'refused',
    status: (status) => status === 402,
    codes: /insufficient_quota|billing_error/,
    message: /credit balance|insufficient balance/i,
    text: ({ name }, { message }) =>
      sentence(`${name} rejected the request because of your plan or balance`, message),
  },
  {
    code: 'auth',
    status: (status) => status === 401 || status === 403,
    codes:
      /authentication_error|invalid_api_key|API_KEY_INVALID|permission_error|UNAUTHENTICATED|PERMISSION_DENIED/,
    message: /API key not valid/,
    text: (request, { message }) =>
      sentence(`${request.name} rejected the API key; ${otherKey(request)}`, message),
  },
  {
    code: 'rate-limited',
    status: (status) => status === 429,
    codes: /rate_limit|RESOURCE_EXHAUSTED|[Tt]hrottling/,
    message: /rate limit|too many requests/i,
    retryable: true,
    text: ({ name }) => `Rate limited by ${name}.`,
  },
  {
    code: 'overloaded',
    status: (status) => status === 529 || status === 503,
    codes: /overloaded|UNAVAILABLE|service_unavailable|serviceUnavailable/,
    message: /\boverloaded\b|at capacity|high demand/i,
    retryable: true,
    text: ({ name }) => `Provider overloaded (${name}).`,
  },
  {
    code: 'overloaded',
    status: (status) => status >= 500,
    codes: /api_error|server_error|internal_error|INTERNAL|internalServer|modelStreamError/,
    retryable: true,
    text: ({ name }, { status }) =>
      `${name} has an internal error${status === undefined ? '' : ` (${status})`}.`,
  },
  {
    code: 'network',
    status: (status) => status === 408 || status === 409 || status === 425,
    retryable: true,
    text: ({ name }) => `${name} did not accept the request in time.`,
  },
  {
    code: 'invalid',
    status: (status) => status === 404,
    codes: /model_not_found|not_found_error|NOT_FOUND/,
    text: ({ name, model, url }, { message, body }) =>
      /^\s*</.test(body)
        ? `${name} has nothing at ${url}; check that address.`
        : `${sentence(`${name} has no model ${model}`, message)} Choose another one; parley models lists them.`,
  },
  {
    code: 'refused',
    codes: /content_filter|content_policy/,
    text: ({ name }, { message }) => sentence(`${name} refused to answer`, message),
  },
  {
    code: 'invalid',
    status: (status) => status >= 400,
    codes: /invalid_request_error|INVALID_ARGUMENT|validationException/,
    text: ({ name }, { message }) => sentence(`${name} rejected the request`, message),
  },
];

const longestDetail = 300;

/** The text with the provider's own message as its detail. */
export function sentence(text: string, detail: string): string {
  const words = detail.replaceAll(/\s+/g, ' ').trim();
  if (words === '') return `${text}.`;
  const short = words.length > longestDetail ? `${words.slice(0, longestDetail)}…` : words;
  return `${text}: ${short}${/[.!?\u2026]$/.test(short) ? '' : '.'}`;
}

/** The cure names the place that the rejected key comes from. */
function otherKey({ provider, keyFrom = 'parley login' }: FailedRequest): string {
  if (keyFrom === 'settings') return `set another one as providers.${provider}.key in the settings`;
  return keyFrom === 'parley login'
    ? `set another one with "parley login ${provider}"`
    : `set another one in the variable ${keyFrom}`;
}
