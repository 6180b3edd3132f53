/** `inline`: shown within the HTML, which refers to it by content id. */
export const attachmentDispositions = ['attachment', 'inline'] as const;

export type AttachmentDisposition = (typeof attachmentDispositions)[number];
