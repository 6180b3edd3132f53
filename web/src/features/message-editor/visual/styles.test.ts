import { expect, it } from 'vitest';
import { styleOf, withStyle } from './styles.ts';

it.each([
  ['', '', 'text-align: center;'],
  ['margin: 0', 'margin: 0;', 'margin: 0; text-align: center;'],
  ['text-align:left;margin:0;', 'margin:0;', 'margin:0; text-align: center;'],
  ['margin: 0; TEXT-ALIGN : right', 'margin: 0;', 'margin: 0; text-align: center;'],
  [
    'background: url(data:image/png;base64,AA)',
    'background: url(data:image/png;base64,AA);',
    'background: url(data:image/png;base64,AA); text-align: center;',
  ],
  ['x-text-align: left;', 'x-text-align: left;', 'x-text-align: left; text-align: center;'],
])('%j without alignment is %j, and centered %j', (style, without, centered) => {
  expect(withStyle({ id: 'a', style }, { 'text-align': '' })).toEqual({
    id: 'a',
    ...(without && { style: without }),
  });
  const changed = withStyle({ style }, { 'text-align': 'center' });
  expect(changed).toEqual({ style: centered });
  expect(styleOf(changed, 'text-align')).toBe('center');
});
