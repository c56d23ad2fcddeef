// The content blocks of messages, prompts and tool calls, as we send them; knows no method.

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
    }
  | { readonly type: 'resource'; readonly resource: { readonly uri: string; readonly text: string } };

export type ToolCallContent =
  | { readonly type: 'content'; readonly content: ContentBlock }
  | {
      readonly type: 'diff';
      readonly path: string;
      readonly oldText: string | null;
      readonly newText: string;
    }
  | { readonly type: 'terminal'; readonly terminalId: string };
