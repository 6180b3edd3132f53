const longest = 200;

/** A provider's answer without the email addresses that it quotes, which are personal data; at most 200 characters. */
export const withoutAddresses = (answer: string): string =>
  answer.replaceAll(/[^\s<>"':;,]+@[^\s<>"':;,]+/g, '…').slice(0, longest);
