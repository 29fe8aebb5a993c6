// Runs before the page is painted, so that nothing jumps: depth and colours.
(function (page) {
  page.classList.add('js');
  try {
    var asked = new URLSearchParams(location.search).get('depth');
    if (/^(beginner|developer|researcher|all)$/.test(asked)) localStorage.setItem('depth', asked);
    page.dataset.depth = localStorage.getItem('depth') || 'all';
    var colours = localStorage.getItem('colours');
    if (colours) page.dataset.colours = colours;
  } catch (error) {
    page.dataset.depth = /^(beginner|developer|researcher)$/.test(asked) ? asked : 'all';
  }
})(document.documentElement);
