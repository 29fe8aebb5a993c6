// A file of kernels for the page has its places in the source written into it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markSites } from '../../src/device/mark_sites.mjs';

const MODULE = `
@_ZZN13on_cpu_device6kernelEPfE4tile = internal global [8 x [4 x float]] zeroinitializer, align 16, !dbg !1
@_ZZN13on_cpu_device6kernelEPfE5found = internal global i32 0, align 4, !dbg !3
@_ZZN5other6kernelEPfE4mine = internal global i32 0, align 4
@.str = private unnamed_addr constant [3 x i8] c"ab\\00", align 1
@.str.1 = private unnamed_addr constant [7 x i8] c"kernel\\00", section "llvm.metadata"
@.str.2 = private unnamed_addr constant [9 x i8] c"small.cu\\00", section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { i8*, i8*, i8*, i32, i8* }] [{ i8*, i8*, i8*, i32, i8* } { i8* bitcast (void (i8*)* @_ZN13on_cpu_device6kernelEPf to i8*), i8* getelementptr inbounds ([7 x i8], [7 x i8]* @.str.1, i32 0, i32 0), i8* getelementptr inbounds ([9 x i8], [9 x i8]* @.str.2, i32 0, i32 0), i32 2, i8* null }], section "llvm.metadata"
@llvm.global_ctors = appending global [1 x { i32, void ()*, i8* }] [{ i32, void ()*, i8* } { i32 0, void ()* @tsan.module_ctor, i8* null }]
define void @_ZN13on_cpu_device6kernelEPf(i8* %0) {
  call void @__tsan_read4(i8* %0), !dbg !10
  call void @__tsan_write4(i8* %0)
  %1 = call i8* @memcpy(i8* %0, i8* %0, i32 16), !dbg !11
  ret void
}
define internal void @_ZZN13on_cpu_device6kernelEPfENKUlvE_clEv(i8* %0) {
  call void @__tsan_read2(i8* %0), !dbg !10
  ret void
}
define void @_ZN13on_cpu_device6launchEv() personality i8* null {
  call void @__tsan_read8(i8* null), !dbg !10
  ret void
}
declare i8* @memcpy(i8*, i8*, i32)
!1 = !DIGlobalVariableExpression(var: !2, expr: !DIExpression())
!2 = distinct !DIGlobalVariable(name: "tile", scope: !20, line: 3)
!3 = !DIGlobalVariableExpression(var: !4, expr: !DIExpression())
!4 = distinct !DIGlobalVariable(name: "found", scope: !20, line: 4)
!10 = !DILocation(line: 7, column: 3, scope: !20)
!11 = !DILocation(line: 90, column: 1, scope: !22, inlinedAt: !12)
!12 = distinct !DILocation(line: 8, column: 5, scope: !21)
!20 = distinct !DISubprogram(name: "kernel", file: !30, line: 2)
!21 = distinct !DILexicalBlock(scope: !20, file: !30, line: 5)
!22 = distinct !DISubprogram(name: "copy", file: !31, line: 80)
!30 = !DIFile(filename: "/far/away/small.cu", directory: "/")
!31 = !DIFile(filename: "words.hpp", directory: "/")
`;

const marked = markSites(MODULE).split('\n');

/** The line that a call's mark names. */
function lineBefore(call) {
  const at = marked.findIndex((line) => line.includes(call));
  const site = marked[at - 1].match(/store .*(@mha\.site\.\d+) to i8\*\), i8\*\* @mha_call_site/)[1];
  return Number(marked.find((line) => line.startsWith(`${site} = `)).match(/i32 (\d+) }/)[1]);
}

test('a call to the device has its line before it', () => {
  assert.equal(lineBefore('@__tsan_read4('), 7);
});

test('a call that was inlined from a header has the line in the kernel', () => {
  assert.equal(lineBefore('call i8* @__wrap_memcpy('), 8);
});

test('a call without a line has that of the one before', () => {
  assert.equal(lineBefore('@__tsan_write4('), 7);
});

test('a function within a kernel reports its accesses', () => {
  assert.equal(lineBefore('@__tsan_read2('), 7);
});

test('the marks of the kernels are gone', () => {
  assert.ok(!marked.some((line) => line.includes('llvm.global.annotations') || line.includes('c"kernel')));
});

test('a kernel that has something to destroy is refused, with its place', () => {
  const module = MODULE.replace('6kernelEPf(i8* %0) {', '6kernelEPf(i8* %0) personality i8* null !dbg !20 {');
  assert.throws(() => markSites(module), /^Error: small\.cu:2: kernel keeps an object that has a destructor/);
});

test('a function that launches kernels reports no access', () => {
  assert.ok(!marked.some((line) => line.includes('__tsan_read8')));
});

test('the static variables of kernels are listed by name, the constants without one, and no other', () => {
  const list = marked.find((line) => line.startsWith('@mha.variables = '));
  const named = [...list.matchAll(/\* (@\S+) to i8\*\), [^{}]*?, i8\* (null|getelementptr[^{}]*) }/g)].map(([, symbol, name]) => [symbol, name !== 'null']);
  assert.deepEqual(named, [['@_ZZN13on_cpu_device6kernelEPfE4tile', true], ['@_ZZN13on_cpu_device6kernelEPfE5found', true], ['@.str', false]]);
});

test('the size of an array and of its elements are both listed', () => {
  const list = marked.find((line) => line.startsWith('@mha.variables = '));
  assert.match(list, /null, i32 1\) to i32\), i32 ptrtoint \(float\* getelementptr \(float, float\* null, i32 1\) to i32\)/);
});

test('the list is handed over where the thread sanitizer would have begun', () => {
  const constructors = marked.find((line) => line.startsWith('@llvm.global_ctors'));
  assert.ok(constructors.includes('@mha.list_variables') && !constructors.includes('tsan'));
});
