// The reference of the library: what Doxygen writes about names, set anew. The
// namespace's page is a list by file; what there is to say about a name stands
// on the page of its type, or of the file that declares it.

import { findAll, findIn, hasClass, htmlOf, innerHtml, isBlank, treeOf } from './html_tree.mjs';
import { escape, textOf } from './html.mjs';

const KINDS = [['nested-classes', 'Types'], ['enum-members', 'Enumerations'], ['typedef-members', 'Names for types'],
  ['var-members', 'Values'], ['func-members', 'Functions']];
const ANCHOR = /^a[0-9a-f]{32}$/;
const TITLES = { Exceptions: 'Throws', 'Template Parameters': 'Template parameters' };
const WIDE = 76;   // characters of a declaration that stand on one line

/**
 * The reference pages by Doxygen's names, from the inside of Doxygen's pages
 * (name -> HTML), where each name of a namespace
 * went (name#anchor -> page), and what each name is (anchor, or page -> HTML).
 */
export function referenceBodies(contents) {
  const pages = new Map([...contents].map(([name, html]) => [name, readPage(name, html)]));
  const files = [...pages.values()].filter(({ name }) => /_8h(?:pp)?\.html$/.test(name));
  const spaces = [...pages.values()].filter(({ name }) => name.startsWith('namespace'));
  const moved = new Map();
  const briefs = new Map([...pages.values()].map(({ name, about }) => [name, briefOf(about)]));
  for (const { anchor, brief } of spaces.flatMap(({ members }) => members)) briefs.set(anchor, brief);
  for (const space of spaces) {
    const details = new Map(space.members.map((member) => [member.anchor, member]));
    for (const file of files) {
      const taken = file.rows.filter(({ page, anchor }) => page === space.name && details.has(anchor) && !moved.has(`${page}#${anchor}`));
      for (const { anchor } of taken) {
        moved.set(`${space.name}#${anchor}`, file.name);
        file.members.push(details.get(anchor));
        details.delete(anchor);
      }
    }
    space.members = [...details.values()];
  }
  const bodies = new Map([...pages].map(([name, page]) =>
    [name, spaces.includes(page) ? spaceBody(page, files, briefs) : pageBody(page, briefs)]));
  return { bodies, moved, briefs };
}

/** Links to names of a namespace lead to the pages that now have them. */
export function relink(body, moved) {
  return body.replace(/href="(namespace\w+\.html)#(a[0-9a-f]{32})/g, (whole, page, anchor) => {
    const file = moved.get(`${page}#${anchor}`);
    return file ? `href="${file}#${anchor}` : whole;
  });
}

/** What a page of Doxygen's says: {name, about, source, rows, members}. */
function readPage(name, html) {
  const tree = treeOf(html);
  return {
    name,
    about: aboutOf(tree),
    source: sourceOf(tree),
    rows: rowsOf(tree),
    members: [...briefMembersOf(tree), ...membersOf(tree)],
  };
}

/** The description at the head of the page: brief and all. */
function aboutOf(tree) {
  const title = findIn(tree, (node) => hasClass(node, 'groupheader') && /Detailed Description/.test(textOf(innerHtml(node))));
  const block = title && findAll(tree, (node) => hasClass(node, 'textblock')).at(-1);
  return documentation(block ?? findIn(tree, (node) => node.tag === 'p'));
}

/** Where the type, or the file, stands. */
function sourceOf(tree) {
  const blocks = findAll(tree, (node) => hasClass(node, 'textblock'));
  return sourceLink(blocks.length ? findIn(blocks.at(-1), (node) => hasClass(node, 'definition')) : null);
}

/** The lists at the head of a page: {kind, page, anchor, name}. */
function rowsOf(tree) {
  const rows = [];
  for (const table of findAll(tree, (node) => hasClass(node, 'memberdecls'))) {
    const kind = findIn(table, (node) => node.tag === 'a' && node.attributes.id)?.attributes.id;
    for (const row of findAll(table, (node) => node.tag === 'tr')) {
      const item = findIn(row, (node) => /^mem(?:Templ)?ItemRight$/.test(node.attributes.class));
      const link = item && findIn(item, (node) => node.tag === 'a' && node.attributes.href);
      if (link) {
        const [page, anchor = ''] = link.attributes.href.split('#');
        rows.push({ kind, page, anchor, name: textOf(tidy(innerHtml(link))).replace(/^\w+::/, '') });
      }
    }
  }
  return rows;
}

/** What has no more than a brief stands in Doxygen's lists alone, with its anchor. */
function briefMembersOf(tree) {
  const members = [];
  for (const row of findAll(tree, (node) => node.tag === 'tr' && /^mem(?:item|desc)/.test(node.attributes.class))) {
    const brief = findIn(row, (node) => hasClass(node, 'mdescRight'));
    const anchor = findIn(row, (node) => node.tag === 'a' && ANCHOR.test(node.attributes.id))?.attributes.id;
    const cells = row.children.filter((cell) => cell.tag === 'td').map(plainLinks);
    if (anchor) {
      const title = textOf(cells.at(-1)).replace(/^.*?([\w~]+) *\(.*$/, '$1()');
      members.push({ anchor, title, declaration: cells.join(' ').replace(' (', '(').replace(/\)=(\w+)$/, ') = $1').trim(), brief: '' });
    } else if (brief && members.length && row.attributes.class.endsWith(members.at(-1).anchor)) {
      members.at(-1).brief = oneParagraph({ ...brief, tag: 'p' });
    }
  }
  return members.map(({ anchor, title, declaration: code, brief }) => ({ anchor, html: sectionHtml(anchor, title, '', code, brief) }));
}

/** What is documented on the page, in its order: {anchor, html}. */
function membersOf(tree) {
  const members = [];
  let anchor = '';
  let title = '';
  for (const node of findAll(tree, (candidate) => ['a', 'h2', 'div'].includes(candidate.tag))) {
    if (node.tag === 'a' && ANCHOR.test(node.attributes.id)) anchor = node.attributes.id;
    if (hasClass(node, 'memtitle')) title = textOf(innerHtml(node)).replace(/^◆\s*/, '');
    if (hasClass(node, 'memitem') && node.tag === 'div') members.push(memberOf(node, anchor, title));
  }
  return members;
}

function memberOf(item, anchor, title) {
  const doc = findIn(item, (node) => hasClass(node, 'memdoc'));
  const where = sourceLink(findIn(doc, (node) => hasClass(node, 'definition')));
  const said = documentation(doc);
  return { anchor, html: sectionHtml(anchor, title, where, declaration(item), said), brief: briefOf(said) };
}

/** The first sentence of what is said, or what is returned. */
function briefOf(said) {
  const [, returned, brief] = said.match(/^(?:<p class="what">[\s\S]*?<\/dl>)*<p>(<span class="what">Returns<\/span> )?([\s\S]*?)<\/p>/) ?? [];
  return brief ? `${returned ? brief.replace(/^./, (first) => first.toUpperCase()) : brief}` : '';
}

function sectionHtml(anchor, title, where, code, said) {
  return `<section class="member" id="${anchor}"><h3 class="memtitle">${escape(title)}</h3>`
    + `<figure class="listing">${where && `<figcaption>${where}</figcaption>`}`
    + `<pre class="code plain"><code>${code}\n</code></pre></figure>${said}</section>`;
}

/** The declaration, which Doxygen sets as a table: a row a parameter. */
function declaration(item) {
  const template = findIn(item, (node) => hasClass(node, 'memtemplate'));
  const labels = findAll(item, (node) => hasClass(node, 'mlabel')).map((label) => textOf(innerHtml(label)))
    .filter((label) => ['explicit', 'static', 'virtual'].includes(label));
  const table = findIn(item, (node) => node.tag === 'table' && hasClass(node, 'memname'));
  const rows = findAll(table, (node) => node.tag === 'tr')
    .map((row) => row.children.filter((cell) => cell.tag === 'td').map((cell) => plainLinks(cell)).filter(Boolean));
  const [head, ...others] = rows.flat();
  const before = [...labels, head].join(' ');
  return (template ? `${plainLinks(template).replace(/^template&lt;/, 'template &lt;')}\n` : '')
    + before + (others.length ? parameters(others, WIDE - textOf(before).length) : '');
}

/** What follows a function's name, `(`, types, names and `)`, on one line if there is room, or on one each. */
function parameters(cells, room) {
  const close = cells.lastIndexOf(')');
  const given = cells.slice(1, close).join(' ').split(/,(?: |$)(?![^<]*<\/a>)/).map(tidy).filter(Boolean);
  const behind = cells.slice(close + 1).map((word) => ` ${word}`).join('');
  const line = `(${given.join(', ')})${behind}`;
  return textOf(line).length <= room ? line : `(\n    ${given.join(',\n    ')})${behind}`;
}

/** Doxygen sets spaces around brackets, and before & and *. */
function tidy(code) {
  return code.replace(/&lt; /g, '&lt;').replace(/ &gt;/g, '&gt;').replace(/ ,/g, ',').replace(/ (&amp;&amp;|&amp;|\*)/g, '$1')
    .replace(/(&amp;|\*)(?=[\w<])(?!\w+;)/g, '$1 ').replace(/\s+/g, ' ').trim();
}

/** A cell's text and links alone. */
function plainLinks(node) {
  const html = (child) => {
    if (typeof child === 'string') return escape(child.replace(/\s+/g, ' '));
    const inside = child.children.map(html).join('');
    return child.tag === 'a' && child.attributes.href ? `<a href="${child.attributes.href}">${inside}</a>` : inside;
  };
  return tidy(html(node));
}

const oneLine = (html) => html.replace(/\s+/g, ' ').trim();

/** What a comment says: its paragraphs, parameters, results and errors. */
function documentation(node) {
  if (!node) return '';
  const pieces = [];
  for (const child of node.children) {
    if (typeof child === 'string') {
      if (child.trim()) pieces.push(`<p>${escape(child.trim())}</p>`);
    } else if (child.tag === 'table' && hasClass(child, 'fieldtable')) pieces.push(values(child));
    else if (child.tag === 'dl') pieces.push(list(child));
    else if (child.tag === 'a' && !isBlank(child)) pieces.push(`<p>${htmlOf(child)}</p>`);
    else if (!hasClass(child, 'definition') && !hasClass(child, 'compoundTemplParams') && child.tag !== 'a') {
      if (!isBlank(child)) pieces.push(oneParagraph(child));
    }
  }
  // Doxygen ends a brief at the first full stop with a space behind it.
  return pieces.join('').replace(/ al\.\s*<\/p><p>/g, ' al. ');
}

function oneParagraph(node) {
  return node.tag === 'p' ? `<p>${oneLine(innerHtml(node)).replace(/<a [^>]*>More\.\.\.<\/a>|<br>/g, '').trim()}</p>` : htmlOf(node);
}

/** Parameters and errors have a name each; a result has none. */
function list(node) {
  const title = textOf(innerHtml(findIn(node, (child) => child.tag === 'dt')));
  const rows = findAll(node, (child) => child.tag === 'tr');
  if (rows.length === 0) {
    return `<p><span class="what">${escape(title)}</span> ${oneLine(innerHtml(findIn(node, (child) => child.tag === 'dd')))}</p>`;
  }
  const items = rows.map((row) => {
    const cells = row.children.filter((cell) => cell.tag === 'td');
    return `<dt>${plainLinks(cells.at(-2))}</dt><dd>${oneLine(innerHtml(cells.at(-1)))}</dd>`;
  });
  return `<p class="what">${escape(TITLES[title] ?? title)}</p><dl class="named">${items.join('')}</dl>`;
}

/** The values of an enumeration. */
function values(table) {
  const items = findAll(table, (node) => node.tag === 'tr').flatMap((row) => {
    const [name, said] = row.children.filter((cell) => cell.tag === 'td');
    if (!name) return [];
    const { id } = findIn(name, (node) => node.attributes.id).attributes;
    return `<dt id="${id}">${escape(textOf(innerHtml(name)))}</dt><dd>${said ? oneLine(innerHtml(said)).replace(/<\/?p>/g, '').trim() : ''}</dd>`;
  });
  return `<dl class="named">${items.join('')}</dl>`;
}

/** "attention.hpp, line 74", linked; a file's own page has no line. */
function sourceLink(definition) {
  const links = definition ? findAll(definition, (node) => node.tag === 'a') : [];
  const [line, file] = links.length > 1 ? links : [null, links[0]];
  if (!file) return '';
  const { href } = (line ?? file).attributes;
  return `<a href="${href}">${escape(textOf(innerHtml(file)))}${line ? `, line ${textOf(innerHtml(line))}` : ''}</a>`;
}

/** A type's page, or a file's: what it is, then each name. */
function pageBody({ name, about, source, rows, members }, briefs) {
  const isFile = /_8h(?:pp)?\.html$/.test(name);
  const types = isFile ? rows.filter(({ kind }) => kind === 'nested-classes') : [];
  const place = source && `<p class="place">${isFile ? source.replace(/>.*</, '>Its source<') : `Defined in ${source}`}</p>`;
  return `${about}${place}${types.length ? `<h2 id="types">Types</h2>${nameList(types, briefs)}` : ''}`
    + `${members.length ? `<h2 id="names">${isFile ? 'Functions and other names' : 'Members'}</h2>` : ''}${members.map(({ html }) => html).join('\n')}`;
}

/** The namespace: every name with what it is in a line, by the file that declares it. */
function spaceBody({ name: space, about, members }, files, briefs) {
  const sections = files.map((file) => {
    const rows = KINDS.flatMap(([kind]) => file.rows.filter((row) => row.kind === kind))
      .filter(({ page, anchor }) => anchor === '' || page === space);
    if (rows.length === 0) return '';
    const title = file.name.replace(/__/g, '_').replace(/_8h(p*)\.html$/, '.h$1');
    return `<h2 id="${title}"><a href="${file.name}">${escape(title)}</a></h2>${file.about}${nameList(rows, briefs)}`;
  });
  return `${about}${sections.join('\n')}${members.map(({ html }) => html).join('\n')}`;
}

/** Names with what each is in a line. An overloaded name stands once for each. */
function nameList(rows, briefs) {
  const items = rows.map(({ kind, page, anchor, name }) =>
    `<li><a href="${page}${anchor ? `#${anchor}` : ''}"><code>${escape(name)}${kind === 'func-members' ? '()' : ''}</code></a> ${briefs.get(anchor || page) ?? ''}</li>`);
  return `<ul class="names">${items.join('')}</ul>`;
}
