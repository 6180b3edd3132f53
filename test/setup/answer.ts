export interface TestAnswer {
  status: number;
  headers: Headers;
  /** Parsed JSON, the text of another type, or undefined if it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  body: any;
}

export async function readAnswer(response: Response): Promise<TestAnswer> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get('content-type')?.includes('json') ?? false;
  return { status, headers, body: text === '' ? undefined : isJson ? JSON.parse(text) : text };
}

/** @returns the body @throws Error unless the request succeeds */
export async function successOf(asking: Promise<TestAnswer>): Promise<TestAnswer['body']> {
  const { status, body } = await asking;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** The code of each field that a refusal names. */
export const codesByField = ({ body }: TestAnswer): Record<string, string> =>
  Object.fromEntries(
    body.error.errors.map(({ field, code }: { field: string; code: string }) => [field, code]),
  );
