import type { ServerResponse } from 'node:http';

type Headers = Record<string, string>;

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

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Headers = {},
): void {
  sendText(response, status, 'application/json', JSON.stringify(value), headers);
}

export function sendNothing(response: ServerResponse): void {
  response.writeHead(204);
  response.end();
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'content-length': 0 });
  response.end();
}
