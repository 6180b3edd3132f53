import { describe, expect, it } from 'vitest';
import { findChromium } from './setup/chromium.ts';
import { tabTo } from './setup/dashboard.ts';
import { useDashboardStory } from './setup/dashboard-story.ts';
import { eventually } from './setup/eventually.ts';
import { png } from './setup/images.ts';

const executable = await findChromium();
const domain = 'mail.visual.test';
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

describe.skipIf(executable === undefined)('the visual editor', () => {
  const { owner, project, tab, page, button, field, usualSender, asked } = useDashboardStory(
    executable,
    'Visual',
  );
  const post = (path: string, body: object) => owner.call('POST', path, body, { 'X-Project-Id': project.id });
  const body = () => page.getByRole('textbox', { name: 'Body', exact: true });
  const code = () => page.getByRole('textbox', { name: 'Body, HTML with Liquid' });
  const mode = (name: 'Visual' | 'HTML') => page.getByRole('radio', { name });
  const written = () =>
    page.evaluate<string>(
      `[...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')`,
    );

  /** The editor learns of the cursor position, and takes the focus after a button, in the next frame. */
  const cursorIsKnown = () =>
    page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);

  /** Opens the HTML in the HTML editor, and switches to the visual editor. */
  async function openVisually(html: string): Promise<void> {
    await mode('HTML').click();
    await code().fill(html);
    await mode('Visual').click();
  }

  const paste = (html: string, imageName = '') =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', ${JSON.stringify(html)});
      const name = ${JSON.stringify(imageName)};
      if (name !== '') clipboardData.items.add(new File([''], name, { type: 'image/png' }));
      document.querySelector('.visual-email').dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }`);

  async function pasteAtEnd(html: string): Promise<void> {
    await body().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' ');
    await paste(html);
  }

  /** Fills in and submits the dialog of a link or a button. */
  async function insertLink(text: string, address: string): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Text' }).fill(text);
    await dialog.getByRole('textbox', { name: 'Address' }).fill(address);
    await dialog.getByRole('button', { name: 'Insert' }).click();
  }

  async function dismiss(toast: string): Promise<void> {
    const shown = page.getByRole('alertdialog').filter({ hasText: toast });
    await shown.getByRole('button', { name: 'Dismiss' }).click();
    await shown.waitFor({ state: 'detached' });
  }

  async function readHtml(): Promise<string> {
    await mode('HTML').click();
    await code().waitFor();
    return written();
  }

  it('an email is written without a line of HTML', async () => {
    const { id } = (await post('/domains', { domain })).body;
    await asked(`/domains/${id}/verify`);
    await post('/contacts', { email: 'ada@example.com', data: { homeTown: 'London' } });
    await tab.signIn(owner);
    await page.goto(`projects/${project.id}/templates/new`);
    await field('Name').fill('Welcome');
    await usualSender(`hello@${domain}`);
    await field('Subject').fill('Welcome');
    await body().getByRole('paragraph').first().click();
    const { keyboard } = page;
    await keyboard.type('Thanks, {{ company ?? "friend" }}, and ');
    await keyboard.press('Control+b');
    await keyboard.type('hello');
    await keyboard.press('Control+b');
    await keyboard.type(' ');
    await button('Insert field').click();
    await page.getByRole('menuitem', { name: 'Home town' }).click();
    await page.getByRole('textbox', { name: 'Body' }).and(page.locator(':focus')).waitFor();
    await keyboard.type('!');
    await keyboard.press('Enter');
    await button('Heading 2').click();
    await cursorIsKnown();
    await keyboard.type('What comes next');
    await keyboard.press('Enter');
    await keyboard.type('- One');
    await keyboard.press('Enter');
    await keyboard.type('Two');
    await keyboard.press('Enter');
    await keyboard.press('Enter');
    await button('Button').click();
    await insertLink('Start', 'no address');
    await page.getByRole('dialog').getByText('Enter an address without spaces').waitFor();
    await insertLink('Start', 'example.com/start');
    await body().getByRole('link', { name: 'Start' }).waitFor();
    const preview = page.frameLocator('iframe[title="Preview of the email"]');
    await preview.getByText('Thanks, friend, and hello').waitFor();
    await preview.getByRole('link', { name: 'Start' }).waitFor();
    await button('Create template').click();
    await button('Send a test').waitFor();
    const [template] = (await asked('/templates')).body.data;
    expect(template.body).toContain('font-family: sans-serif; line-height: 1.5;">');
    expect(template.body).toContain(
      `
    <p>Thanks, {{ company ?? "friend" }}, and <strong>hello</strong> {{ homeTown ?? "" }}!</p>
    <h2>What comes next</h2>
    <ul><li>One</li><li>Two</li></ul>
    <p><a href="https://example.com/start" style="display: inline-block; padding: 12px 20px;`,
    );
    expect(template.body).toMatch(/<\/body>\s*<\/html>\s*$/);
  });

  it.each([
    'Hello {{ firstName ?? "you & <me>" }}',
    'Hello\n<p>there</p>\nand <em>there</em>\n<h2>too</h2>',
    '{% if a %}\n<p>One</p>\n{% else %}\n<p>Two</p>\n<hr>\n{% endif %}',
    '<p style="margin:0; mso-line-height-rule: exactly">Hello <b>there</b></p>',
    '<div class="box" data-id="7"><p>One</p><ul><li>Two</li><li><p>Three</p></li></ul></div>',
    '<p>{% if plan == "pro" and score > 3 %}Pro{% else %}Free{% endif %}</p>',
    '<p><a target="_blank" href="https://example.com/?a=1&amp;b={{ id | url_encode }}"><img alt="" width="20" src="data:,{{ plan }}"></a></p>',
    '<p>One<br>two &amp; three&nbsp;four<span style="color: #abc">five</span></p>',
    '<html><head><style>p > a { color: red }</style></head><body>\n<p>Hello</p>\n</body></html>',
    '{% if a %}<html><body><p>Hello</p></body></html>{% endif %}<!-- end -->\n',
    '<p>One <span style="color:red">two <span style="COLOR: #abc">three</span></span><span style="color: red" class="a">!</span></p>',
    '<div>\n  <p>One</p>\n\n  <ul>\n    <li>Two</li>\n  </ul>\n  Three\n</div>',
    '<center><font color="#123456" size="2">One<sup>2</sup></font></center>\n<p><small>Two</small></p>',
    '<table role="presentation" width="100%">\n  <tbody><tr><td bgcolor="#eeeeee">One</td><td><p>Two</p></td><th></th></tr></tbody>\n</table>',
    '<table><tbody><tr><td>&nbsp;</td></tr><tr><td height="20" style="font-size: 0;"></td></tr></tbody></table>',
    '<ul>{% for a in b %}<li>{{ a }}</li>{% endfor %}</ul>',
    '<table><tbody>{% for item in items %}<tr><td>{{ item.name }}</td>{% if item.price %}<td>{{ item.price }}</td>{% endif %}</tr>{% endfor %}</tbody></table>',
    '<p>One</p>\n<!--[if mso]><table><tr><td><![endif]-->\n<div><!-- {{ two }} -->Two</div>\n<!--[if mso]></td></tr></table><![endif]-->',
    '<p><a href="{{ url }}" title="{{ a }}">{% if a > b %}a{% endif %}</a><!-- c --> d</p>',
  ])('keeps %s', async (html) => {
    await openVisually(html);
    await body().waitFor();
    await page.evaluate(`document.querySelector('.visual-email').editor.commands.focus()`);
    await body().and(page.locator(':focus')).waitFor();
    await page.keyboard.type('x');
    await page.keyboard.press('Backspace');
    expect(await body().locator('[data-id]').count()).toBe(0);
    const as = (text: string) => text.replaceAll(/<(\/?)b>/g, '<$1strong>');
    expect(await readHtml()).toBe(as(html));
  });

  it.each([
    ['<form><input><p>Hello</p></form>', '<form>, <input>'],
    ['<a href="#"><div>One</div></a>', 'elements in an order that the visual editor would change'],
    ['{% if a %}<div>{% else %}<div class="b">{% endif %}<p>One</p></div>', 'a <div> whose start or end'],
    ['<p>One</p>{% if a %}</div>{% endif %}', 'a <div> whose start or end'],
    ['{{ header }}<p>One</p></div>', 'a <div> whose start or end'],
    ['{% if a %}<p class="b">{% else %}<p>{% endif %}One</p>', 'a <p> whose start or end'],
    ['<html><p>One</p></html>', 'a document without a body'],
    ['<html><body><p>One</p></body></html>\n{{ two }}', 'content after the end of its body'],
    ['<body><p>One</p></body><p>Two</p>', 'content after the end of its body'],
    ['<p>One</p><style>p { color: red }</style>', '<style>'],
    ['<p {% if a %}class="b"{% endif %}>One</p>', 'Liquid within a tag'],
    [
      '<p data-kept="{">One <span data-liquid="{{ two }}">three</span></p>',
      'marks that the visual editor uses',
    ],
  ])('leaves %s to the editor for HTML', async (html, reason) => {
    await openVisually(html);
    await page
      .getByText('The visual editor can’t show all of this email')
      .getByText(reason)
      .or(page.getByText(`The visual editor can’t show all of this email: it has ${reason}`))
      .first()
      .waitFor();
    await code().waitFor();
    expect(await written()).toBe(html);
  });

  it('the preview text is a hidden part of the body, which the visual editor leaves alone', async () => {
    const content = '<body>\n<p>First</p>\n</body>';
    await openVisually(content);
    await body().getByText('First').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' words');
    await field('Preview text').fill('For {{ homeTown ?? "you" }}');
    await page.getByRole('region', { name: 'Preview' }).getByText('For you', { exact: true }).waitFor();
    await body().getByText('First words').click();
    await page.keyboard.press('Control+z');
    await body().getByText('First', { exact: true }).waitFor();
    const hidden =
      '<div data-text="none" style="display: none; max-height: 0; overflow: hidden;">For {{ homeTown ?? "you" }}</div>';
    expect(await readHtml()).toBe(content.replace('<p>', `${hidden}\n<p>`));
    await mode('Visual').click();
    await field('Preview text').fill('');
    expect(await readHtml()).toBe(content);
  });

  it('Backspace and Delete remove no comment, which nobody sees', async () => {
    const html = '<p>One</p>\n<!--[if mso]><br><![endif]-->\n<p>Two</p>';
    await openVisually(html);
    await body().getByText('Two').click();
    for (const key of ['Home', 'Backspace', 'ArrowUp', 'End', 'Delete']) {
      await page.keyboard.press(key);
      await cursorIsKnown();
    }
    await page.keyboard.type('!');
    expect(await readHtml()).toBe(html.replace('One', 'One!'));
  });

  it('a problem opens the HTML editor at its line', async () => {
    await openVisually('<p>One</p>\n<p>{{ name | nofilter }}</p>');
    await body().getByText('nofilter').waitFor();
    await button('Line 2').click();
    await code().and(page.locator(':focus')).waitFor();
    await page.locator('.cm-activeLine').getByText('nofilter').waitFor();
  });

  it('pasted content loses the styles and scripts of its page', async () => {
    await openVisually('<p>Here:</p>');
    await pasteAtEnd(
      '<style>b { color: red }</style><p class="a" style="font-size: 40px" ' +
        'onclick="alert(1)">One <span style="color: red">{{ two }}</span> <a href="https://example.com/" class="b">three</a>' +
        '<a href="javascript:alert(2)">!</a></p>',
    );
    await body().getByRole('link', { name: 'three' }).waitFor();
    expect(await readHtml()).toBe('<p>Here: One {{ two }} <a href="https://example.com/">three</a>!</p>');
  });

  it('text from Word loses its images, which only the computer of the sender has', async () => {
    await openVisually('<p>Here:</p>');
    await pasteAtEnd(
      '<p class=MsoNormal>One <img src="file:///C:/Users/ada/clip_image002.png" alt="Two"> three ' +
        `<img src="${pixel}" alt="Four"></p>`,
    );
    await body().getByRole('img', { name: 'Four' }).waitFor();
    await dismiss(
      'The images could not be pasted with the text. Paste each one alone, or drop its file here.',
    );
    expect(await readHtml()).toBe(`<p>Here: One three <img src="${pixel}" alt="Four"></p>`);
    expect(tab.complaints()).toEqual([]);
  });

  it('a toast that disappears moves no focus, even after another was dismissed', async () => {
    await openVisually('<p>Here:</p>');
    const localImage = '<p><img src="file:///C:/clip.png" alt=""></p>';
    const lost = 'The images could not be pasted';
    await pasteAtEnd(localImage);
    await dismiss(lost);
    // Toasts under the pointer stay.
    await body().hover();
    await paste('', 'empty.png');
    const toasts = page.getByRole('alertdialog');
    await toasts.filter({ hasText: /file/i }).waitFor();
    await paste(localImage);
    await toasts.filter({ hasText: lost }).waitFor();
    // The later one disappears first: errors stay longer.
    await toasts.filter({ hasText: lost }).waitFor({ state: 'detached' });
    await page.keyboard.type('Still here');
    await body().getByText('Still here').waitFor();
    await eventually(() => toasts.count(), 0);
    expect(tab.complaints().filter((text) => !text.includes('status of 4'))).toEqual([]);
  });

  it('the lists of Word, which are paragraphs, become lists', async () => {
    const item = (level: number, marker: string, text: string) =>
      `<p class=MsoListParagraph style='text-indent:-18.0pt;mso-list:l0 level${level} lfo1'><![if !supportLists]>` +
      `<span style='font-family:Symbol'><span style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>` +
      `&nbsp;&nbsp;&nbsp;</span></span></span><![endif]>${text}<o:p></o:p></p>`;
    await openVisually('<p>Here:</p>');
    await body().click();
    await page.keyboard.press('Control+End');
    await cursorIsKnown();
    await page.keyboard.press('Enter');
    await paste(
      `<html xmlns:o="urn:schemas-microsoft-com:office:office"><body><p class=MsoNormal>We have<o:p></o:p></p>\n` +
        `${item(1, '·', 'Candles')}\n${item(2, 'o', 'white')}\n${item(2, 'o', '<b>red</b>')}\n${item(1, '·', 'Soap')}\n` +
        `<p class=MsoNormal>in<o:p></o:p></p>\n${item(1, '1.', 'Graz')}\n${item(1, '2.', 'Linz')}\n` +
        `<p class=MsoNormal>then</p>\n${item(1, '3.', 'Wien')}\n<p class=MsoNormal>End</p></body></html>`,
    );
    await body().getByText('End').waitFor();
    expect((await readHtml()).replaceAll(/\s*\n\s*/g, '')).toBe(
      '<p>Here:</p><p>We have</p><ul><li>Candles<ul><li>white</li><li><strong>red</strong></li></ul></li><li>Soap</li></ul>' +
        '<p>in</p><ol><li>Graz</li><li>Linz</li></ol><p>then</p><ol start="3"><li>Wien</li></ol><p>End</p>',
    );
  });

  it('an image file that is pasted or dropped is uploaded, and stands where it was put', async () => {
    const image = (name: string, content = png) => `new File(
      [Uint8Array.from(atob('${content.toString('base64')}'), (c) => c.charCodeAt(0))], '${name}', { type: 'image/png' })`;
    const drop = (...files: string[]) => `{
      const dataTransfer = new DataTransfer();
      for (const file of [${files.join()}]) dataTransfer.items.add(file);
      const { x, y } = document.querySelector('.visual-email p').getBoundingClientRect();
      const at = { clientX: x + 1, clientY: y + 1, bubbles: true, cancelable: true };
      !document.querySelector('.visual-email p').dispatchEvent(new DragEvent('drop', { dataTransfer, ...at }));
    }`;
    await openVisually('<p>Here</p><p>End</p>');
    await body().click();
    await page.keyboard.press('Control+End');
    await cursorIsKnown();
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.items.add(${image('a.png')});
      document.querySelector('.visual-email').dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }`);
    await body().locator('img[draggable]').waitFor();
    const isTaken = await page.evaluate(drop(image('b.png'), image('c.png')));
    expect(isTaken).toBe(true);
    await expect.poll(() => body().locator('img[draggable]').count()).toBe(3);
    const images: { url: string }[] = (await asked('/uploads')).body.data;
    expect(images).toHaveLength(3);
    const [third, second, first] = images.map(
      ({ url }) => `<img src="${url}" alt="" style="max-width: 100%;">`,
    );
    expect(await readHtml()).toBe(`<p>${second}${third}Here</p>\n<p>End${first}</p>`);
    await openVisually('<p>Here</p>');
    await page.evaluate(drop(image('note.png', Buffer.from('no image')), image('d.png')));
    await page.getByRole('alertdialog').filter({ hasText: /JPEG/ }).waitFor();
    await expect.poll(() => body().locator('img[draggable]').count()).toBe(1);
    // Spreadsheets also copy a picture of their cells.
    await body().click();
    await paste('<p>There</p>', 'cells.png');
    await body().getByText('There').waitFor();
    expect((await asked('/uploads')).body.data).toHaveLength(4);
    const held = Promise.withResolvers<void>();
    await page.route('**/uploads/image', async (route) => {
      await held.promise;
      await route.continue();
    });
    expect(await page.evaluate(drop(image('e.png')))).toBe(true);
    await button('Designs').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Letter', exact: true }).click();
    await body().getByText('There', { exact: true }).waitFor({ state: 'detached' });
    await dismiss('Body replaced with “Letter”');
    held.resolve();
    await page.getByText('The image is uploaded. Show it with “Insert image”.').waitFor();
    expect(await body().locator('img[draggable]').count()).toBe(0);
    await page.unroute('**/uploads/image');
    expect(tab.complaints().filter((text) => !text.includes('status of 4'))).toEqual([]);
  });

  it('an image that is uploaded in the dialog is chosen', async () => {
    await openVisually('<p>Here</p>');
    await body().click();
    await button('Insert image').click();
    const dialog = page.getByRole('dialog', { name: 'Insert an image' });
    const insert = dialog.getByRole('button', { name: 'Insert image' });
    await expect.poll(() => insert.isDisabled()).toBe(true);
    const file = { name: 'cup.png', mimeType: 'image/png', buffer: png };
    await dialog.locator('input[type=file]').setInputFiles(file);
    await expect.poll(() => insert.isEnabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Alternative text' }).fill('A cup');
    await insert.click();
    await body().getByRole('img', { name: 'A cup' }).waitFor();
    const [newest] = (await asked('/uploads')).body.data;
    expect(await body().getByRole('img', { name: 'A cup' }).getAttribute('src')).toBe(newest.url);
  });

  it('what was typed before another email is shown can’t be undone in it', async () => {
    // Not that of the toast.
    const undo = page.getByLabel('Undo', { exact: true });
    await openVisually('<p>Mine</p>');
    await body().click();
    await page.keyboard.type('Typed ');
    await expect.poll(() => undo.isEnabled()).toBe(true);
    await button('Designs').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Letter', exact: true }).click();
    await body().getByText('Mine').waitFor({ state: 'detached' });
    await expect.poll(() => undo.isDisabled()).toBe(true);
    const [start] = await body().getByRole('paragraph').allTextContents();
    await page.keyboard.press('Control+z');
    expect((await body().getByRole('paragraph').allTextContents())[0]).toBe(start);
    await body().getByRole('paragraph').first().click();
    await page.keyboard.type('More');
    await undo.click();
    await expect.poll(() => button('Redo').isEnabled()).toBe(true);
    expect(await body().getByText('More').count()).toBe(0);
    await dismiss('Body replaced with “Letter”');
  });

  it('text from Google Docs keeps only its bold and italic', async () => {
    await openVisually('<p>Here:</p>');
    await body().click();
    await page.keyboard.press('Control+End');
    await cursorIsKnown();
    await page.keyboard.press('Enter');
    const span = (look: string, text: string) =>
      `<span style="font-size:11pt;font-family:Arial,sans-serif;color:#000000;${look};white-space:pre-wrap;">${text}</span>`;
    const plain = 'font-weight:400;font-style:normal';
    const start = '<p dir="ltr" style="line-height:1.38;margin-top:0pt;">';
    await paste(
      `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1f0c-7fff">${start}${span(plain, 'One ')}` +
        `${span('font-weight:700;font-style:normal', 'two')}</p><ul><li dir="ltr" style="font-weight:400">${start}` +
        `${span('font-weight:400;font-style:italic', 'Three')}</p></li></ul>${start}` +
        `${span('font-weight:700;font-style:italic', 'Four')}</p></b><br class="Apple-interchange-newline">`,
    );
    await body().getByText('Four').waitFor();
    expect(await readHtml()).toBe(
      '<p>Here:</p>\n<p>One <strong>two</strong></p>\n<ul><li><em>Three</em></li></ul>\n' +
        '<p><strong><em>Four</em></strong></p>',
    );
  });

  it('a typed address becomes a link with HTTPS', async () => {
    await openVisually('<p>One</p>');
    await body().click();
    await page.keyboard.press('Control+End');
    await cursorIsKnown();
    await page.keyboard.type(' example.com !');
    expect(await readHtml()).toBe('<p>One <a href="https://example.com">example.com</a> !</p>');
  });

  it('a field, its fallback and the URL of a link can be changed by keyboard alone', async () => {
    await openVisually('<p>Hello {{ name ?? "you" }} <a href="https://example.com/">there</a></p>');
    await body().focus();
    const { keyboard } = page;
    await keyboard.press('Control+Home');
    for (let presses = 0; presses < 'Hello '.length + 1; presses += 1) {
      await keyboard.press('ArrowRight');
      await cursorIsKnown();
    }
    await field('Fallback').waitFor();
    await tabTo(page, field('Fallback'));
    await keyboard.press('Control+a');
    await keyboard.type('dear "reader"');
    await keyboard.press('Shift+Tab');
    await keyboard.type('last name');
    await keyboard.press('Shift+Tab');
    await keyboard.press('End');
    await field('Address').waitFor();
    await tabTo(page, field('Address'));
    await keyboard.press('Control+a');
    await keyboard.type('example.org');
    await keyboard.press('Enter');
    expect(await readHtml()).toBe(
      `<p>Hello {{ last name ?? "dear 'reader'" }} <a href="https://example.org">there</a></p>`,
    );
  });

  it('paragraphs are aligned, buttons have a color, images a width and a link', async () => {
    await openVisually(`One
<p>Two <a href="https://example.com/" style="display: inline-block; mso-padding-alt: 0; background: #4f46e5">Start</a></p>
<p><img src="${pixel}" alt="" width="60" height="40" style="min-height: 20px;"></p>`);
    await body().getByText('One').click();
    await button('Center').click();
    await cursorIsKnown();
    await page.keyboard.press('Control+a');
    await button('Align right').click();
    await button('Align right').click();
    await body().getByText('Two').click();
    await button('Center').click();
    await body().getByRole('link', { name: 'Start' }).click();
    await page.getByLabel('Color', { exact: true }).fill('#fde047');
    await body().locator('img[src]').click();
    await field('Width').fill('300 px');
    await button('Link').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Address' }).fill('example.com');
    await dialog.getByRole('button', { name: 'Insert' }).click();
    await dialog.waitFor({ state: 'detached' });
    await body().locator('img[src]').click();
    await field('Address').fill('example.org');
    await field('Alternative text').fill('A pixel');
    expect(await readHtml()).toBe(`One
<p style="text-align: center;">Two <a href="https://example.com/" style="display: inline-block; mso-padding-alt: 0; background-color: #fde047; color: #000000;">Start</a></p>
<p><a href="https://example.org"><img src="${pixel}" alt="A pixel" width="300" style="min-height: 20px;"></a></p>`);
  });

  it('text has a color, which is changed and removed', async () => {
    await openVisually('<p>One <span style="color: rgb(153, 27, 27)">two</span></p>\n<p>Three</p>');
    const color = page.getByLabel('Text color', { exact: true });
    await body().getByText('two').dblclick();
    await eventually(() => color.inputValue(), '#991b1b');
    await color.fill('#1e3a8a');
    await body().getByText('Three').click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await cursorIsKnown();
    await color.fill('#166534');
    expect(await readHtml()).toBe(
      '<p>One <span style="color: #1e3a8a;">two</span></p>\n<p><span style="color: #166534;">Three</span></p>',
    );
    await mode('Visual').click();
    await body().getByText('two').dblclick();
    await button('Remove color').click();
    expect(await readHtml()).toBe('<p>One two</p>\n<p><span style="color: #166534;">Three</span></p>');
  });

  it('columns are inserted and written, and rows added to a table of an order', async () => {
    await openVisually(`<div>
  <p>One</p>
  <table width="100%">
    <tbody>
      {% for item in items %}
      <tr><td style="width: 80%;">{{ item.name }}</td><td>{{ item.price }}</td></tr>
      {% endfor %}
    </tbody>
  </table>
</div>`);
    const { keyboard } = page;
    await body().getByText('One').click();
    await button('Two columns').click();
    await cursorIsKnown();
    await keyboard.type('Left');
    await body().locator('td').nth(1).click();
    await keyboard.type('Right');
    await body().getByText('for item in items').click();
    await field('Liquid').fill('for item in order.items');
    await body().getByText('item.price').click();
    await button('Add row below').click();
    await cursorIsKnown();
    await keyboard.type('Delivery');
    await body().getByText('Left').click();
    await button('Add row below').click();
    await button('Remove row').click();
    const table = `
  <table width="100%">
    <tbody>
      {% for item in order.items %}
      <tr><td style="width: 80%;">{{ item.name }}</td><td>{{ item.price }}</td></tr>
      <tr><td style="width: 80%;">Delivery</td><td></td></tr>
      {% endfor %}
    </tbody>
  </table>
</div>`;
    const html = await readHtml();
    const columns = /<tr><td ([^>]+)><p>Left<\/p><\/td><td \1><p>Right<\/p><\/td><\/tr>\n/;
    expect(html).toMatch(columns);
    expect(html.endsWith(table)).toBe(true);
    await mode('Visual').click();
    await body().getByText('Right').click();
    await button('Remove row').click();
    expect(await readHtml()).toBe(`<div>\n  <p>One</p>${table}`);
  });

  it.each([
    [
      '<table><tbody><tr><td>One</td><td>Two</td></tr></tbody></table>',
      'Two',
      '<table><tbody><tr><td>One</td><td><ul><li>Two</li></ul></td></tr></tbody></table>',
    ],
    [
      '<table><tbody><tr><td>One</td><td>Two</td></tr></tbody></table>',
      'One',
      '<table><tbody><tr><td><ul><li>One</li></ul></td><td>Two</td></tr></tbody></table>',
    ],
    [
      '<div><div><p>One</p></div><div><p>Two</p></div></div>',
      'Two',
      '<div><div><p>One</p></div><div><ul><li>Two</li></ul></div></div>',
    ],
  ])('a list begins a column or a box: %s at %s', async (html, text, list) => {
    await openVisually(html);
    await body().getByText(text).click();
    await cursorIsKnown();
    await button('Bulleted list').click();
    expect(await readHtml()).toBe(list);
  });

  it('what is selected from a box to an item of a loop can be deleted', async () => {
    await openVisually('<div><p>One</p></div><ul>{% for a in b %}<li>Two</li>{% endfor %}</ul>');
    await body().getByText('Two').click();
    await page.evaluate(`{
      const [box, item] = ['div > p', 'li > p'].map((each) => document.querySelector('.visual-email ' + each));
      getSelection().setBaseAndExtent(box.firstChild, 1, item.firstChild, 1);
    }`);
    await cursorIsKnown();
    await page.keyboard.press('Delete');
    await body().getByText('Owo').waitFor();
    expect(tab.complaints()).toEqual([]);
  });

  it('several paragraphs of a column become items of one list', async () => {
    await openVisually('<table><tbody><tr><td>One</td><td><p>Two</p><p>Three</p></td></tr></tbody></table>');
    await body().getByText('Three').click();
    await page.evaluate(`{
      const [, two, three] = document.querySelectorAll('.visual-email p');
      getSelection().setBaseAndExtent(two.firstChild, 1, three.firstChild, 1);
    }`);
    await cursorIsKnown();
    await button('Bulleted list').click();
    expect(await readHtml()).toContain('<td><ul><li>Two</li><li>Three</li></ul></td>');
  });

  it.each([
    ['Heading 1', '<table><tbody><tr><td>One</td></tr></tbody></table>', '<td><h1>One</h1></td>'],
    ['Heading 1', '<ul><li>One</li></ul>', '<h1>One</h1>'],
    ['Divider', '<ul><li>One</li></ul>', '<ul><li><p></p><hr>One</li></ul>'],
    ['Divider', '<ul><li>One</li></ul>', '<ul><li><p> </p><hr>One</li></ul>', ' '],
  ])('%s in %s leaves an email that opens visually again: %s', async (tool, html, written, typed = '') => {
    await openVisually(html);
    await body().getByText('One').click();
    await page.keyboard.press('Home');
    await page.keyboard.type(typed);
    await cursorIsKnown();
    await button(tool).click();
    expect(await readHtml()).toContain(written);
    await mode('Visual').click();
    await body().getByText('One').waitFor();
  });

  it('a link is inserted after a double click beside a text, which selects no text', async () => {
    await openVisually('<p>One</p>\n<p>Two</p>');
    await body().getByText('One').dblclick();
    await cursorIsKnown();
    await button('Link').click();
    await insertLink('Three', 'example.com');
    await body().getByRole('link', { name: 'Three' }).waitFor();
    expect(await readHtml()).toBe('<p>One<a href="https://example.com">Three</a></p>\n<p>Two</p>');
  });

  it('a link is inserted after a selected divider, in a paragraph of its own', async () => {
    await openVisually('<p>One</p>\n<hr>\n<p>Two</p>');
    await body().getByRole('separator').click();
    await cursorIsKnown();
    await button('Link').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Text' }).fill('Three');
    await dialog.getByRole('textbox', { name: 'Address' }).fill('example.com');
    await dialog.getByRole('button', { name: 'Insert' }).click();
    await body().getByRole('link', { name: 'Three' }).waitFor();
    expect(await readHtml()).toMatch(
      /^<p>One<\/p>\s*<hr>\s*<p><a href="https:\/\/example.com">Three<\/a><\/p>\s*<p>Two<\/p>$/,
    );
  });

  it('new buttons have the color of the brand', async () => {
    await owner.call('PATCH', `/users/@me/projects/${project.id}`, { brandColor: '#0f766e' });
    await page.reload();
    await openVisually('<p>One</p>');
    await body().getByText('One').click();
    await button('Button').click();
    await insertLink('Two', 'example.com');
    await body().getByRole('link', { name: 'Two' }).waitFor();
    expect(await readHtml()).toContain('background-color: #0f766e; color: #ffffff;">Two</a></p>');
  });

  it.each([
    ['Letter', 0],
    ['Announcement', 1],
    ['Newsletter', 1],
    ['Confirmation', 1],
  ])('the design %s can be undone, or edited without HTML', async (name, links) => {
    await openVisually('<p>Mine</p>');
    const choose = async () => {
      await button('Designs').click();
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
      await body().getByText('Visual').waitFor();
    };
    await choose();
    const toast = page.getByRole('alertdialog').filter({ hasText: `Body replaced with “${name}”` });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await body().getByText('Mine').waitFor();
    await choose();
    await page.getByText('a footer with one is added').waitFor();
    await eventually(() => page.getByText('A link leads nowhere').count(), links);
  });

  it('an empty email is not saved, nor for a test', async () => {
    await openVisually('<p>One</p>');
    await body().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Backspace');
    await button('Send a test').click();
    await page.getByText('Write the email first').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await button('Save').click();
    await page.getByText('Write the email first').waitFor();
    await openVisually('<p>One</p>');
  });

  it.each([
    ['Visual', '\n'],
    ['HTML', '\r\n'],
  ] as const)('viewing an email in the %s editor does not change it', async (name, lineEnd) => {
    const html = ['<div>', '  <p>Hello</p>', '</div>'].join(lineEnd);
    const template = { name: 'Kept', subject: 'Kept', body: html, from: `hello@${domain}` };
    const { id } = (await post('/templates', template)).body;
    await page.goto(`projects/${project.id}/templates/${id}`);
    await mode(name).click();
    await body().or(code()).getByText('Hello').click();
    await page.getByRole('link', { name: 'Templates' }).first().click();
    await page.getByRole('heading', { name: 'Templates', exact: true }).waitFor();
    expect((await asked(`/templates/${id}`)).body.body).toBe(html);
  });
});
