export interface ApiCall {
  /** Default: GET, or POST with a body. */
  method?: string;
  /** Secret or public key of a project. */
  key?: string;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is a form. */
  body?: object | FormData | undefined;
}

/**
 * @returns the text of the response
 * @throws Error for a status other than 2xx, which its message contains as `: 422 `
 */
export async function fetchText(
  url: string,
  { body, method = body === undefined ? 'GET' : 'POST', key, headers }: ApiCall = {},
): Promise<string> {
  const isForm = body instanceof FormData;
  const answer = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return text;
}

/** Like `fetchText`. @returns the parsed JSON; undefined for an empty response */
export async function callApi(url: string, call?: ApiCall): Promise<unknown> {
  const text = await fetchText(url, call);
  return text === '' ? undefined : JSON.parse(text);
}
