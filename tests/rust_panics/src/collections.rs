//! Panics within the library's collections, whose guards keep everything destroyed once, and panics of the library itself.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use throws::caught;

/// Counts what lives; panics when its number goes.
struct Counted<'a> {
    number: u32,
    panics: Option<u32>,
    alive: &'a Cell<i32>,
}

impl<'a> Counted<'a> {
    fn new(number: u32, panics: Option<u32>, alive: &'a Cell<i32>) -> Counted<'a> {
        alive.set(alive.get() + 1);
        Counted { number, panics, alive }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.alive.set(self.alive.get() - 1);
        print!("{} ", self.number);
        if self.panics == Some(self.number) {
            panic!("{} goes", self.number);
        }
    }
}

impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        // One panic at a time.
        if self.number == 6 && self.panics.is_none() {
            panic!("{} is not cloned", self.number);
        }
        Counted::new(self.number + 100, self.panics, self.alive)
    }
}

fn counted() {
    let alive = Cell::new(0);
    let list = |panics| (0..8).map(|k| Counted::new(k, panics, &alive)).collect::<Vec<_>>();
    let check = |what: &str, run: &dyn Fn(Option<u32>)| {
        for panics in [None, Some(0), Some(3), Some(7)] {
            let ended = catch_unwind(AssertUnwindSafe(|| run(panics)));
            println!("{what} {} {}", ended.is_err(), alive.replace(0));
        }
    };
    check("vector", &|panics| drop(list(panics)));
    check("array", &|panics| drop(<[Counted; 8]>::try_from(list(panics)).unwrap_or_else(|_| unreachable!())));
    check("slice", &|panics| drop(list(panics).into_boxed_slice()));
    check("iterator", &|panics| drop(list(panics).into_iter().skip(2).collect::<VecDeque<_>>()));
    check("drained", &|panics| {
        let mut all = list(panics);
        drop(all.drain(2..5));
        all.truncate(3);
    });
    check("retained", &|panics| list(panics).retain(|c| c.number % 2 == 0));
    check("cloned", &|panics| drop(list(panics).to_vec()));
    check("extended", &|panics| {
        let mut all = list(panics);
        all.extend((8..12).map(|k| match panics {
            None if k == 10 => panic!("no more"),
            _ => Counted::new(k, None, &alive),
        }));
    });
    check("ordered", &|panics| drop(list(panics).into_iter().map(|c| (c.number, c)).collect::<BTreeMap<_, _>>()));
    check("shared", &|panics| {
        let all: Vec<Rc<Counted>> = list(panics).into_iter().map(Rc::new).collect();
        let again: Vec<_> = all.iter().step_by(2).cloned().collect();
        drop(all);
        println!("; {}", again.iter().map(Rc::strong_count).sum::<usize>());
    });
    check("hashed", &|panics| {
        let mut all: HashMap<u32, Counted> = list(panics).into_iter().map(|c| (c.number, c)).collect();
        let _third = all.remove(&3);
        // Their order is random.
        let mut rest: Vec<_> = all.into_values().collect();
        rest.sort_by_key(|c| c.number);
    });
}

fn library() {
    let list = black_box(vec![1u32, 2, 3]);
    let zero = black_box(0);
    caught("index", || list[list.len() + zero as usize]);
    caught("slice", || list[2..black_box(1)].len());
    caught("division", || 7 / zero);
    caught("remainder", || i32::MIN % black_box(-1));
    caught("unwrap", || black_box(None::<u32>).unwrap());
    caught("expect", || black_box(Err::<u32, _>("wrong")).expect("a number"));
    caught("boundary", || black_box("grün")[..3].len());
    caught("parse", || black_box("12x").parse::<u8>().unwrap());
    caught("capacity", || Vec::<u64>::with_capacity(usize::MAX >> zero).len());
    caught("equal", || assert_eq!(list.len(), zero as usize, "lengths"));
    let cell = RefCell::new(String::from("borrowed"));
    caught("cell", || {
        let held = cell.borrow_mut();
        cell.borrow().len() + held.len()
    });
    println!("{:?}", cell.try_borrow());
    caught("text", || {
        list.iter().map(u32::to_string).collect::<Vec<_>>().join(", ") + &list[..black_box(3)].len().to_string()
    });
    caught("copied", || {
        let mut to = vec![0; 2];
        to.copy_from_slice(&list);
        to
    });
    caught("reached", || if zero == 0 { unreachable!("so it is") } else { todo!() });
}

pub fn all() {
    counted();
    library();
}
