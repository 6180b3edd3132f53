import type { ServerResponse } from 'node:http';

type Headers = Record<string, string>;

/** Answers with a whole body; `body` is sent as it is. */
export function sendText(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: Headers = {},
): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Headers = {},
): void {
  sendText(response, status, 'application/json', JSON.stringify(value), headers);
}

/** Answers `204 No Content`. */
export function sendNothing(response: ServerResponse): void {
  response.writeHead(204);
  response.end();
}

/** Sends a browser on to another page after a form was handled. */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'content-length': 0 });
  response.end();
}
